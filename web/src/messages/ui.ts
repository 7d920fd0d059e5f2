import { plural } from './plural.ts'

/** Words of the components that every screen uses. */
export const m = {
  priority: {
    none: 'No priority',
    low: 'Low priority',
    medium: 'Medium priority',
    high: 'High priority',
    urgent: 'Urgent',
  },
  morePeople: (n: number) => plural(n, { one: '# more person', other: '# more people' }),
  more: (n: number) => `+${n}`,
  nobody: 'Nobody',
}
