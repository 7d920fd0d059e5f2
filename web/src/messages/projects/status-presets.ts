import type { StatusCategory } from '#resources/projects/contract.ts'
import { defineMessages } from '../define-messages.ts'

interface NewStatus {
  name: string
  category: StatusCategory
}

const status = (name: string, category: StatusCategory): NewStatus => ({ name, category })

/** Presets of statuses for a new project; the server creates the default ones. */
export const statusPresets = defineMessages('projectTemplates', {
  usual: undefined,
  simple: [status('To do', 'unstarted'), status('Done', 'completed')],
  support: [
    status('New', 'unstarted'),
    status('Waiting', 'backlog'),
    status('In progress', 'started'),
    status('Solved', 'completed'),
    status('Dismissed', 'canceled'),
  ],
  writing: [
    status('Ideas', 'backlog'),
    status('Drafting', 'started'),
    status('Editing', 'started'),
    status('Published', 'completed'),
    status('Dropped', 'canceled'),
  ],
} satisfies Record<string, readonly NewStatus[] | undefined>)

export type StatusPresetName = keyof typeof statusPresets
