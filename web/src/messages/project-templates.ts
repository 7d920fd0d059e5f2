import type { StatusCategory } from '#resources/projects/contract.ts'
import { say } from './say.ts'

interface NewStatus {
  name: string
  category: StatusCategory
}

const status = (name: string, category: StatusCategory): NewStatus => ({ name, category })

/** Statuses that a project can begin with; the usual ones are made by the server. */
export const templates = say('projectTemplates', {
  usual: undefined,
  simple: [status('To do', 'unstarted'), status('Done', 'completed')],
  support: [
    status('New', 'unstarted'),
    status('Waiting', 'backlog'),
    status('Answering', 'started'),
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

export type Template = keyof typeof templates
