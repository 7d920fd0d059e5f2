import { defineMessages } from '../define-messages.ts'
import { formatNumber, plural } from '../plural.ts'

/** Texts of the field for new tasks, which is loaded after the first rows. */
export const quickAddMessages = defineMessages('quickAdd', {
  enter: 'Enter',
  chips: {
    tag: 'tag',
    'new tag': 'new tag',
    who: 'assignee',
    priority: 'priority',
    status: 'status',
    due: 'due date',
    repeat: 'repeats',
    estimate: 'estimate',
  },
  takeOffChip: (kind: string, name: string) => `Remove ${kind} ${name}`,
  values: 'Values',
  suggestions: 'People and tags',
  addAndAssign: (person: string, project: string) => `Add ${person} to ${project} and assign`,
  added: (person: string, project: string) => `Added ${person} to ${project}`,
  createTag: (name: string) => `New tag “${name}”`,
  leftOut: (title: string) => `Created “${title}”, hidden by the current filter`,
  pastedAsk: (n: number, project: string) =>
    `Create ${plural(n, { one: '# task', other: '# tasks' })} in ${project} from these lines?`,
  pastedMake: (n: number) => `Create ${plural(n, { one: '# task', other: '# tasks' })}`,
  pastedOne: 'Paste as one title',
  pastedUnread: (cells: string) => `No field takes these, so they go to the description: ${cells}.`,
  andMore: (n: number) => `and ${formatNumber(n)} more`,
})
