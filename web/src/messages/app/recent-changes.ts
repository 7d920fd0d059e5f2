import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** The list of what the person has done, on whichever device. */
export const recentChangesMessages = defineMessages('recentChanges', {
  none: 'No changes in the last 30 days. What you change appears here and can be undone.',
  /** What was done to what: “Task completed: Fix login”. */
  named: (what: string, name: string) => `${what}: ${name}`,
  andMore: (what: string, count: number) =>
    `${what}, and ${plural(count, { one: '# more change', other: '# more changes' })}`,
  deletedSetting: 'View or template deleted',
  hidden: 'A change in a project that you no longer see',
  by: { api_key: 'by API key', app: 'by application', system: 'by the server' } as Record<
    string,
    string
  >,
  isImport: 'by import',
  more: 'Show more',
})
