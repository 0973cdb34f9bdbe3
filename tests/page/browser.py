"""browser.py: a real browser, a real server, and the questions the cases ask of them.

One Chromium for all cases: starting it is what takes longest.  Its driver's path is given, so that selenium
looks for nothing on the network.  Nothing here waits for a time: until() asks again and again until
what is waited for is so."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
PATIENCE = int(os.environ.get("JOT_TEST_PATIENCE", "60"))  # seconds after which what is waited for will not come, also on a busy machine
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-default-apps", "--disable-extensions", "--no-first-run", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--lang=en-US", "--window-size=1400,1000"]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "look.js")) as file:
    LOOK = file.read()


class Home:
    """A directory for everything: pads, the state of the user, the browser's profile."""

    def __init__(self):
        self.dir = os.path.realpath(tempfile.mkdtemp(prefix="jotter-page-"))
        self.env = {**os.environ, "HOME": self.dir, "TZ": "UTC", "USER": "ann"}
        for name in ("JOTTER_PAD", "JOTTER_AS", "JOTTER_LEASE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
            self.env.pop(name, None)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)


class Pad:
    """A pad, through the command line."""

    def __init__(self, program, home, name):
        self.program, self.home, self.name = program, home, name
        self.url = home.path(name, ".jotter")

    def run(self, *words, text=None, by="bob", check=True):
        done = subprocess.run([self.program, "--pad", self.url, "--as", by, "--json", *words], env=self.home.env,
                              input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if check and done.returncode:
            raise AssertionError("jotter %s: %s%s" % (" ".join(words)[:200], done.stdout, done.stderr))
        return json.loads(done.stdout) if done.stdout.strip() else {}

    def read(self, key):
        return self.run("read", key)["text"]


class Server:
    """jotter serve, for some pads; the same address and token after a restart."""

    def __init__(self, program, home, pads, *options):
        self.words = [program, "--as", "ann", "serve", "127.0.0.1:0", *options]
        for pad in pads:
            self.words += ["--pad", pad.url]
        self.home = home
        self.process = None
        self.log = home.path("serve.log")
        self.start()

    def start(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.words, env=self.home.env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        found = until(lambda: re.search(r"(http://[0-9.:]+)/#token=(\w+)", open(self.log).read()),
                      lambda: "no link from jotter serve: " + open(self.log).read())
        self.base, self.token = found.groups()
        self.words[self.words.index("serve") + 1] = self.base[len("http://"):]

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(PATIENCE)
            self.process = None

    def get(self, path):
        asked = urllib.request.Request(self.base + "/api/v1/" + path, headers={"Authorization": "Bearer " + self.token})
        with urllib.request.urlopen(asked) as reply:
            return json.load(reply)

    def page(self, name=""):
        with urllib.request.urlopen(self.base + "/" + name) as reply:
            return reply.read()


def until(holds, otherwise="it did not come", patience=PATIENCE):
    """What holds() gives as soon as it is true."""
    end = time.monotonic() + patience
    while True:
        try:
            found = holds()
        except WebDriverException:
            found = None
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(otherwise() if callable(otherwise) else otherwise)
        time.sleep(0.02)


class Browser:
    def __init__(self, home):
        options = Options()
        options.binary_location = CHROMIUM
        for flag in FLAGS + ["--user-data-dir=" + home.path("profile")]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for name in ("HOME", "TZ"):
            os.environ[name] = home.env[name]
        for name in [n for n in os.environ if n.startswith("XDG_")]:
            del os.environ[name]
        self.driver = webdriver.Chrome(service=Service(DRIVER, log_path=os.devnull), options=options)
        self.driver.set_script_timeout(PATIENCE)
        self.server = None
        self.expected = []  # what may stand in the console, as patterns
        self.look = LOOK

    def close(self):
        self.driver.quit()

    # --- Where ------------------------------------------------------------------------------------
    def enter(self, server):
        """Open the printed link, as a person would."""
        self.server = server
        self.driver.get("about:blank")
        self.driver.get("%s/#token=%s" % (server.base, server.token))
        self.settled()

    def go(self, path, **params):
        """A view by its address, without loading the page again."""
        query = "&".join("%s=%s" % (k, urllib.request.quote(str(v), safe="")) for k, v in params.items())
        address = "#" + path + ("?" + query if query else "")
        self.js("delete document.documentElement.dataset.shows; document.querySelector('dialog[open]')?.close(); document.activeElement?.blur(); history.pushState(null, '', arguments[0]); dispatchEvent(new Event('jotter-go'))", address)
        self.settled()

    def reload(self):
        self.driver.refresh()
        self.settled()

    def settled(self):
        """The view of the address is there."""
        until(lambda: self.js("return document.documentElement.dataset.shows === location.hash && !document.body.classList.contains('busy')"),
              lambda: "the view did not come: " + self.js("return location.hash + ' ' + document.body.innerText.slice(0, 300)"))

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def hash(self):
        return self.js("return location.hash")

    def text(self, selector="main"):
        return self.js("return [...document.querySelectorAll(arguments[0])].map(n => n.innerText).join('\\n')", selector)

    def has(self, words, selector="main"):
        """Wait until the words are there."""
        until(lambda: words in self.text(selector), lambda: "%r is not in %s: %r" % (words, selector, self.text(selector)[:1500]))

    def lacks(self, words, selector="main"):
        until(lambda: words not in self.text(selector), lambda: "%r is still in %s" % (words, selector))

    def count(self, selector):
        return self.js("return document.querySelectorAll(arguments[0]).length", selector)

    def there(self, selector):
        until(lambda: self.count(selector), lambda: "%s is not there: %r" % (selector, self.text()[:1500]))

    # --- What a person does -----------------------------------------------------------------------
    def click(self, words, within="body"):
        """The button or link of that name."""
        press = """const all = [...document.querySelector(arguments[1])?.querySelectorAll('button, a, summary') ?? []].filter(n => !n.disabled);
            const name = n => (n.getAttribute('aria-label') ?? n.textContent).trim();
            const found = all.find(n => name(n) === arguments[0]) ?? all.find(n => name(n).startsWith(arguments[0]));
            found?.scrollIntoView({block: 'center'});
            found?.click();
            return Boolean(found)"""
        until(lambda: self.js(press, words, within), lambda: "there is no button %r in: %r" % (words, self.text(within)[:1500]))

    def keys(self, *pressed):
        chain = ActionChains(self.driver)
        for key in pressed:
            chain.send_keys(key)
        chain.perform()

    def chord(self, modifier, key):
        ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def put(self, selector, text):
        """Fill a field at once, as pasting does."""
        node = until(lambda: self.js("return document.querySelector(arguments[0])", selector), selector + " is not there")
        self.js("const n = arguments[0]; n.focus(); n.value = arguments[1]; n.dispatchEvent(new Event('input', {bubbles: true})); n.dispatchEvent(new Event('change', {bubbles: true}))", node, text)

    # --- How it looks -----------------------------------------------------------------------------
    def size(self, width, height=1000):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def theme(self, word):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": word}]})

    def faults(self):
        """What is wrong with roles, names, headings, contrast and width: a list of sentences."""
        return self.js(self.look + "; return look();")

    def console(self):
        """What the page complained about since the last call, but for what a case expects."""
        said = ["%s %s" % (e["level"], e["message"]) for e in self.driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
        said = [s for s in said if not any(re.search(p, s) for p in self.expected)]
        self.expected = []
        return said


__all__ = ["Browser", "Home", "Keys", "Pad", "Server", "until"]
