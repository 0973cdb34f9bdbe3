#!/usr/bin/env python3
"""axe.py PROGRAM SOURCE AXE: every view in both themes as axe-core judges it (WCAG 2.2 AA and its advice); run by
tools/conformance.  Prints a line for each violation, then how many rules passed; 1 if there was any."""
import sys

import page

AXE = open(sys.argv[3]).read()
RUN = """const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
   .then(r => done([r.passes.length, r.violations.map(v => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + (n.failureSummary ?? '').replaceAll('\\n', ' ').slice(0, 200)).join(' | '))]), e => done([0, ['axe failed: ' + e]]))"""


def main():
    world, passed, wrong = page.World(), 0, []
    try:
        world.browser.js(AXE)
        for view in page.each_view(world):
            for theme in ("light", "dark"):
                world.browser.theme(theme)
                world.browser.settled()
                if not world.browser.js("return Boolean(window.axe)"):
                    world.browser.js(AXE)
                some, found = world.browser.driver.execute_async_script(RUN)
                passed += some
                wrong += ["%s, %s: %s" % (view, theme, f) for f in found]
    finally:
        world.close()
    for line in wrong:
        print(line)
    print("axe: %d views, %d rules passed, %d violations" % (len(page.VIEWS), passed, len(wrong)))
    sys.exit(1 if wrong else 0)


main()
