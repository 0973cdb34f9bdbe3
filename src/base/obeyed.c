/* obeyed.c - the table of names. */
#include "base/obeyed.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

/* One a line in groups; a '*' at the beginning stands for anything.  The first row is git's own
 * directory.  Add a name here, nowhere else. */
/* clang-format off */
static const char *const names[] = {
    ".git",

    /* rules of agents: all rows that are Markdown stand here (obeyed_find_document) */
    "AGENTS.md", "AGENTS.override.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md",
    "QWEN.md", "CRUSH.md", "WARP.md", "IFLOW.md", "CODEBUDDY.md",

    /* git, and what runs hooks for it */
    ".gitmodules", ".gitconfig", ".githooks", ".husky", ".pre-commit-config.yaml", ".lefthook",
    ".lefthook.yml", ".lefthook.yaml", "lefthook.yml", "lefthook.yaml", "lefthook-local.yml",
    ".overcommit.yml",
    ".git-hooks", ".local-overcommit.yml", ".lefthook-local", ".lefthook-local.yml",
    ".lefthook.toml", ".lefthook.json", "lefthook.toml", "lefthook.json", "hgrc", ".hgrc",
    ".repo",

    /* tools and servers of agents, and Jotter's own pads */
    ".agents", ".agent", ".claude", ".claude.json", ".codex", ".gemini", ".qwen", ".cursor", ".cursorrules", ".cline", ".clinerules", ".roo", ".roorules",
    ".windsurf", ".windsurfrules", ".continue", ".kiro", ".amazonq", ".junie", ".augment", ".trae",
    ".opencode", "opencode.json", "opencode.jsonc", ".crush.json", "crush.json", ".goosehints",
    ".aider.conf.yml", ".factory", ".openhands", ".rules", ".mcp.json", "mcp.json", ".mcp",
    ".jotter",
    ".crush", ".roomodes", ".kilocode", ".kilocodemodes", ".aiassistant", ".augment-guidelines",
    ".continuerules", ".continuerc.json", ".goose", ".vibe", ".grok", ".warp", ".copilot",
    ".tabnine", ".serena", ".qoder", ".iflow", ".codebuddy", ".amp",
    ".kimi", ".openhands_instructions",

    /* editors, debuggers, and what is read where an interpreter is started */
    ".vscode", ".vscode-server", "*.code-workspace", ".idea", ".fleet", ".zed", ".nova",
    ".devcontainer", ".devcontainer.json", ".vim", ".vimrc", ".exrc", ".nvimrc", ".nvim.lua",
    ".lvimrc", ".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.d", ".gdbinit", ".lldbinit",
    ".helix", ".gvimrc", ".nvim", ".run", ".vs", ".theia", "*.sublime-project",
    ".lite_project.lua", ".ycm_extra_conf.py", ".vimspector.json", ".spacemacs", ".doom.d",
    ".externalToolBuilders", ".gitpod.yml", ".replit", ".idx", ".gdbearlyinit", ".pdbrc",
    ".pdbrc.py", ".irbrc", ".pryrc", ".rdbgrc", ".byebugrc", ".Rprofile", ".Renviron", ".ghci",
    ".octaverc", ".ocamlinit", ".erlang", ".iex.exs", ".sbclrc", ".ipython", ".jupyter",

    /* shells: on entering a directory, and where the working directory is a home */
    ".envrc", ".mise.toml", ".mise", "mise.toml", "mise.local.toml", ".rvmrc", ".autoenv",
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bashrc.d",
    ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".inputrc", ".ssh",
    ".gnupg", ".config", ".local", ".netrc", ".wgetrc", ".curlrc", ".tmux.conf", ".screenrc",
    ".xinitrc", ".xprofile", ".xsession", ".xsessionrc", ".pam_environment", ".pythonrc", ".pythonrc.py",
    ".aws", ".kube", ".docker",
    ".mise.local.toml", ".autoenv.zsh", ".cshrc", ".tcshrc", ".login", ".logout", ".kshrc",
    ".mkshrc", ".shrc", ".xonshrc", ".zsh", ".oh-my-zsh", ".Xclients", ".forward", ".procmailrc",
    ".rhosts", ".shosts", ".k5login", ".mailcap", ".nvm", ".pyenv", ".rbenv", ".asdf",

    /* package managers: where code comes from, and what is run besides */
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".pypirc", "pip.conf", ".condarc",
    ".cargo", ".bundle", ".gemrc",
    ".pnpmfile.mjs",

    /* what runs when it is pushed */
    ".github", ".gitlab", ".gitlab-ci.yml", ".gitea", ".forgejo", ".circleci", ".buildkite",
    ".travis.yml", ".drone.yml", ".woodpecker", ".woodpecker.yml", ".cirrus.yml",
    "azure-pipelines.yml", "bitbucket-pipelines.yml", "Jenkinsfile",
    ".woodpecker.yaml", ".appveyor.yml", "appveyor.yml", ".build.yml", ".builds", ".semaphore",
    ".teamcity", ".tekton", ".harness", "bitrise.yml", "buildspec.yml", "cloudbuild.yaml",
};
/* clang-format on */

static_assert(COUNT_OF(names) <= OBEYED_MAX, "who has an array of them has room for each");

bool obeyed_is(Str name, const char *row)
{
    if (row[0] == '*')
        return name.n > strlen(row + 1) &&
               obeyed_is(str_from(name, name.n - strlen(row + 1)), row + 1);
    return name.n == strlen(row) && strncasecmp(name.p, row, name.n) == 0;
}

int obeyed_find(Str name)
{
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (obeyed_is(name, names[i]))
            return (int)i;
    return -1;
}

int obeyed_find_document(Str name)
{
    for (size_t i = OBEYED_GIT + 1; str_ends(str(names[i]), S(".md")); i++)
        if (obeyed_is(name, names[i]))
            return (int)i;
    return -1;
}

const char *obeyed_name(int row)
{
    return row >= 0 && (size_t)row < COUNT_OF(names) ? names[row] : NULL;
}
