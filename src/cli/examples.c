/* examples.c - command lines that show what a command is good for, for its help and the manual
 * page.
 *
 * What follows three spaces or more is a remark on the line, not part of it.
 * tests/cli/help.t reads every line as the program would. */
#include <string.h>

#include "cli/cmd.h"

/* One a line, so that two new ones never meet in the same line. */
/* clang-format off */
static const struct {
    const char *path, *lines;
} examples[] = {
    { "init", "jotter init                                a pad in this directory: .jotter/\n" },
    { "write", "jotter write plan 'ship on friday'\n"
      "git log -5 | jotter write changes\n"
      "jotter write plan --file plan.md --if-version 0cb6db660bff\n" },
    { "append", "jotter append journal --line 'the tests pass'\n"
      "date | jotter append journal\n" },
    { "read", "jotter read plan\n"
      "jotter read plan --version ~1             as it was before the last change\n"
      "jotter read report --lines 10:20\n"
      "jotter read plan --at yesterday\n" },
    { "edit", "jotter edit plan                           in $EDITOR\n"
      "jotter edit plan --old friday --new monday\n" },
    { "list", "jotter list\n"
      "jotter list --recent --long --limit 10\n"
      "for k in $(jotter list); do jotter read $k; done\n" },
    { "delete", "jotter delete plan; jotter undo plan       and it is back\n" },
    { "move", "jotter move plan plan-2026\n" },
    { "history", "jotter history --since yesterday           what happened in the pad\n"
      "jotter history plan\n" },
    { "diff", "jotter diff plan                           what the last change did\n"
      "jotter diff plan monday now\n" },
    { "undo", "jotter undo plan; jotter diff plan\n" },
    { "redo", "jotter undo plan; jotter redo plan\n" },
    { "restore", "jotter restore plan 0cb6db6\n" },
    { "blame", "jotter blame plan\n" },
    { "purge", "jotter purge plan                          with its whole history\n" },
    { "redact", "jotter redact plan --text hunter2\n"
      "printf hunter2 | jotter redact --all --stdin\n" },
    { "status", "jotter status\n" },
    { "search", "jotter search shipping\n"
      "jotter search deploy key --budget 2000     passages for a model\n" },
    { "context", "jotter context --budget 8000\n"
      "jotter context --query 'how do we deploy?'\n" },
    { "prompt", "jotter prompt >>AGENTS.md\n" },
    { "rules", "jotter write pinned-style 'tabs, not spaces'\n"
      "jotter rules approve pinned-style           shows the text, and asks you\n"
      "jotter rules list\n" },
    { "rules list", "jotter rules list\n" },
    { "rules show", "jotter rules show\n" },
    { "rules approve", "jotter rules approve pinned-style\n" },
    { "rules revoke", "jotter rules revoke pinned-style\n" },
    { "artifact", "echo '{\"ok\": true}' | jotter artifact write tests run_7\n"
      "jotter artifact read tests run_7\n"
      "jotter artifact list tests\n" },
    { "artifact write", "echo '{\"ok\": true}' | jotter artifact write planning plan_001 --type plan\n" },
    { "artifact read", "jotter artifact read planning plan_001\n" },
    { "artifact list", "jotter artifact list planning\n" },
    { "artifact find", "jotter artifact find --type plan\n" },
    { "artifact ref", "jotter artifact ref planning plan_001\n" },
    { "artifact delete", "jotter artifact delete planning plan_001\n" },
    { "artifact index", "echo '{\"newest\": \"run_7\"}' | jotter artifact index write tests newest\n"
      "jotter artifact index read tests newest\n" },
    { "artifact index write", "echo '{\"a\": 1}' | jotter artifact index write planning by-date\n" },
    { "artifact index read", "jotter artifact index read planning by-date\n" },
    { "artifact index list", "jotter artifact index list planning\n" },
    { "artifact index delete", "jotter artifact index delete planning by-date\n" },
    { "line-log", "make | jotter line-log append build today\n"
      "jotter line-log read build today --tail 5\n" },
    { "line-log append", "jotter line-log append build steps 'compiled'\n" },
    { "line-log read", "jotter line-log read build steps\n" },
    { "line-log follow", "jotter line-log follow build steps\n" },
    { "line-log list", "jotter line-log list build\n" },
    { "task", "jotter task add 'fix the login'             it is fix-the-login\n"
      "jotter task next                            take what is first\n"
      "jotter task done fix-the-login 'merged'\n" },
    { "task add", "jotter task add 'fix the login page' --priority 5\n"
      "jotter task add ship 'make a release' --needs build --needs test\n" },
    { "task list", "jotter task list --mine\n"
      "jotter task list --status blocked\n" },
    { "task next", "jotter task next\n"
      "jotter --as worker-2 task next --json\n" },
    { "task ready", "jotter task ready\n" },
    { "task read", "jotter task read ship\n" },
    { "task edit", "jotter task edit ship --priority 9\n"
      "jotter task edit ship 'make release 1.2' --agent ann\n" },
    { "task start", "jotter task start ship\n" },
    { "task done", "jotter task done ship 'tagged v1.2'\n" },
    { "task fail", "jotter task fail ship 'the tests do not pass'\n" },
    { "task block", "jotter task block ship 'waiting for the key'\n" },
    { "task unblock", "jotter task unblock ship 'the key is here'\n" },
    { "task retry", "jotter task retry ship\n" },
    { "task cancel", "jotter task cancel ship 'not this year'\n" },
    { "task move", "jotter task move ship completed --result 'tagged v1.2' --if-seq 3\n" },
    { "task history", "jotter task history ship\n" },
    { "plan", "jotter plan create release 'ship it' --step tag --post 'the tag is pushed'\n"
      "jotter plan step release 1 done --evidence v1.2\n"
      "jotter plan verify release 1 'git ls-remote shows it'\n" },
    { "plan create", "jotter plan create release 'ship it' --step 'run the tests' --step tag --post 'the tag is pushed'\n" },
    { "plan list", "jotter plan list\n" },
    { "plan show", "jotter plan show release\n" },
    { "plan step", "jotter plan step release 1 done --evidence 'all 7,140 passed'\n" },
    { "plan verify", "jotter plan verify release 1 'git ls-remote shows it'\n" },
    { "checkpoint", "echo '{\"page\": 7}' | jotter checkpoint write crawl\n"
      "jotter checkpoint read crawl\n"
      "jotter checkpoint undo crawl                back to the state before\n" },
    { "checkpoint write", "echo '{\"page\": 7}' | jotter checkpoint write crawl\n" },
    { "checkpoint read", "jotter checkpoint read crawl\n" },
    { "checkpoint list", "jotter checkpoint list crawl\n" },
    { "checkpoint undo", "jotter checkpoint undo crawl\n" },
    { "checkpoint trim", "jotter checkpoint trim crawl --keep 10\n" },
    { "sink", "make | jotter sink write build_1 --tool make\n"
      "jotter sink read build_1 --lines 100:20     20 lines, from line 100 on\n" },
    { "sink write", "curl -s http://localhost/ | jotter sink write call_1 --tool fetch\n" },
    { "sink read", "jotter sink read call_1\n" },
    { "sink view", "jotter sink view call_1\n" },
    { "runs", "jotter runs                                 the newest first\n"
      "jotter runs read last\n" },
    { "runs list", "jotter runs list\n" },
    { "runs begin", "jotter runs begin 'why is the build slow?'\n" },
    { "runs say", "jotter runs say last thinking 'look at the linker'\n" },
    { "runs call", "jotter runs call last fetch --args '{\"url\": \"/\"}' --call c1\n" },
    { "runs result", "jotter runs result last c1 'nothing there'\n" },
    { "runs finish", "jotter runs finish last fetch 'nothing there' --call c2\n" },
    { "runs read", "jotter runs read last\n" },
    { "runs results", "jotter runs results last\n" },
    { "runs compact", "jotter runs compact last 'what was found so far'\n" },
    { "runs clear", "jotter runs clear last --keep 2\n" },
    { "runs usage", "jotter runs usage last\n" },
    { "runs unfinished", "jotter runs unfinished last\n" },
    { "runs final", "jotter runs final last\n" },
    { "runs redact", "jotter runs redact last --text hunter2\n" },
    { "runs purge", "jotter runs purge last\n" },
    { "cycle", "jotter cycle init 'keep the site up'\n"
      "jotter cycle run --every 300\n"
      "jotter cycle explain                        what the last one did\n" },
    { "cycle init", "jotter cycle init 'keep the site up'\n" },
    { "cycle run", "jotter cycle run --every 300\n" },
    { "cycle status", "jotter cycle status\n" },
    { "cycle wake", "id=$(jotter cycle wake)\n" },
    { "cycle step", "echo '{\"tool\": \"look\", \"args\": {}}' | jotter cycle step \"$id\"\n" },
    { "cycle sleep", "jotter cycle sleep \"$id\"\n" },
    { "cycle list", "jotter cycle list\n" },
    { "cycle read", "jotter cycle read \"$id\" --before\n" },
    { "cycle steps", "jotter cycle steps \"$id\"\n" },
    { "cycle log", "jotter cycle log \"$id\"\n" },
    { "cycle diff", "jotter cycle diff \"$id\"\n" },
    { "cycle explain", "jotter cycle explain \"$id\"\n" },
    { "cycle fail", "jotter cycle fail \"$id\" 'no network'\n" },
    { "cycle reset", "jotter cycle reset --clean\n" },
    { "lease", "jotter lease run plan -- ./agent            nobody else has it while this runs\n"
      "jotter lease list\n" },
    { "lease acquire", "token=$(jotter lease acquire plan --ttl 60)\n" },
    { "lease renew", "jotter lease renew \"$token\"\n" },
    { "lease list", "jotter lease list\n" },
    { "lease check", "jotter lease check plan\n" },
    { "lease release", "jotter lease release \"$token\"\n" },
    { "lease run", "jotter lease run plan -- ./agent            nobody else has it while this runs\n" },
    { "memory-tool", "echo '{\"command\": \"view\", \"path\": \"/memories\"}' | jotter memory-tool\n" },
    { "import", "jotter import pad.jotter\n"
      "jotter import ~/notes\n"
      "jotter import ~/.mem0/history.db\n" },
    { "export", "jotter export pad.jotter\n" },
    { "copy", "jotter copy sqlite:week.db\n" },
    { "verify", "jotter verify\n" },
    { "doctor", "jotter doctor                              what is wrong\n"
      "jotter doctor --fix\n" },
    { "embed", "JOTTER_EMBED=http://127.0.0.1:11434/v1#nomic-embed-text jotter embed --dry-run\n"
      "jotter embed\n" },
    { "gc", "jotter gc --keep 20 --dry-run\n" },
    { "stats", "jotter stats\n" },
    { "watch", "jotter watch --json\n" },
    { "run", "jotter run 'why does the nightly job take so long?' --allow shell\n"
      "jotter run 'what is wrong here?' --file shot.png --effort high\n"
      "jotter run --resume last\n" },
    { "models", "jotter models                              windows and prices\n"
      "jotter models claude-sonnet-5\n" },
    { "mcp", "jotter mcp                                 over standard input and output\n"
      "jotter mcp --http 127.0.0.1:8080\n" },
    { "serve", "jotter serve --open\n"
      "jotter serve --pad work/.jotter --pad home/.jotter --read-only\n" },
    { "setup", "jotter setup claude-code --write\n" },
    { "where", "jotter where\n" },
    { "safe", "jotter safe add /srv/team\n"
      "jotter safe list\n" },
    { "safe add", "jotter safe add .\n" },
    { "safe list", "jotter safe list\n" },
    { "safe remove", "jotter safe remove .\n" },
    { "demo", "jotter demo\n" },
    { "help", "jotter help task add\n"
      "jotter help versions\n" },
    { "completion", "source <(jotter completion bash)\n" },
};
/* clang-format on */

const char *examples_of(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(examples); i++)
        if (strcmp(examples[i].path, path) == 0)
            return examples[i].lines;
    return NULL;
}
