import type { Command } from '../arguments.ts'

type CommandList = readonly Command[]

/**
 * The commands by their first words. Only the group of a command is loaded, so that it starts
 * sooner.
 */
const GROUPS: readonly [firstWords: readonly string[], load: () => Promise<CommandList>][] = [
  [['workspace'], async () => (await import('./workspace.ts')).workspaceCommands],
  [['project'], async () => (await import('./project.ts')).projectCommands],
  [['member'], async () => (await import('./member.ts')).memberCommands],
  [['key'], async () => (await import('./key.ts')).keyCommands],
  [['app'], async () => (await import('./app.ts')).appCommands],
  [['user'], async () => (await import('./user.ts')).userCommands],
  [['jobs'], async () => (await import('./jobs.ts')).jobCommands],
  [['webhook'], async () => (await import('./webhook.ts')).webhookCommands],
  [
    ['migrate', 'health', 'serve', 'work', 'setup-token'],
    async () => (await import('./server.ts')).serverCommands,
  ],
  [['backup'], async () => (await import('./backup.ts')).backupCommands],
  [['restore'], async () => (await import('./restore.ts')).restoreCommands],
  [['audit'], async () => (await import('./audit.ts')).auditCommands],
  [['migrate-to'], async () => (await import('./migrate-to.ts')).migrateToCommands],
  [['export', 'import'], async () => (await import('./archive.ts')).archiveCommands],
  [['secret'], async () => (await import('./secret.ts')).secretCommands],
  [['settings'], async () => (await import('./settings.ts')).settingsCommands],
  [['doctor'], async () => (await import('./doctor.ts')).doctorCommands],
]

export async function loadAllCommands(): Promise<CommandList> {
  return (await Promise.all(GROUPS.map(([, load]) => load()))).flat()
}

/** Loads the commands that begin with the first of these words. */
export async function loadCommandGroup(words: readonly string[]): Promise<CommandList> {
  const group = GROUPS.find(([firstWords]) => firstWords.some((word) => word === words[0]))
  return group ? group[1]() : []
}
