import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Texts of a list without tasks, and of a project that is not there. */
export const emptyListMessages = defineMessages('emptyList', {
  none: 'No tasks yet. Create one, or press C.',
  noneLeft: 'No tasks match this filter.',
  mostLeftOut: (chip: string, n: number) =>
    `Without “${chip}”, ${plural(n, { one: '# task matches', other: '# tasks match' })}.`,
  takeOff: (chip: string) => `Remove “${chip}”`,
  missing: (prefix: string) => `Project ${prefix} not found.`,
  missingWhy: 'It does not exist, or you do not have access to it.',
  toProjects: 'All projects',
})
