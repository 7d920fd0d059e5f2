import type { Command } from './command.ts'

type Commands = readonly Command[]

/** The commands by their first words. A command reads the code of its own group only, so that it begins sooner. */
const GROUPS: readonly [first: readonly string[], load: () => Promise<Commands>][] = [
  [['workspace'], async () => (await import('./workspace.ts')).workspaceCommands],
  [['project'], async () => (await import('./project.ts')).projectCommands],
  [['member'], async () => (await import('./member.ts')).memberCommands],
  [['key'], async () => (await import('./key.ts')).keyCommands],
  [['app'], async () => (await import('./app.ts')).appCommands],
  [['user'], async () => (await import('./user.ts')).userCommands],
  [['webhook'], async () => (await import('./webhook.ts')).webhookCommands],
  [['login', 'logout', 'whoami', 'api'], async () => (await import('./login.ts')).loginCommands],
  [
    ['migrate', 'health', 'serve', 'work'],
    async () => (await import('./server.ts')).serverCommands,
  ],
  [['backup', 'restore'], async () => (await import('./backup.ts')).backupCommands],
  [['audit'], async () => (await import('./audit.ts')).auditCommands],
  [['migrate-to'], async () => (await import('./move.ts')).moveCommands],
  [['export', 'import'], async () => (await import('./archive.ts')).archiveCommands],
  [['doctor'], async () => (await import('./doctor.ts')).doctorCommands],
  [['partition'], async () => (await import('./partition.ts')).partitionCommands],
]

export async function allCommands(): Promise<Commands> {
  return (await Promise.all(GROUPS.map(([, load]) => load()))).flat()
}

/** The commands that these words may mean: none where no command begins like them. */
export async function commandsFor(words: readonly string[]): Promise<Commands> {
  const group = GROUPS.find(([first]) => first.some((word) => word === words[0]))
  return group ? group[1]() : []
}
