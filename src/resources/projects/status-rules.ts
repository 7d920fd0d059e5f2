import { type Fault, fault } from '#wire/fault.ts'

const OPEN: readonly unknown[] = ['backlog', 'unstarted', 'started']

/**
 * What is wrong with a list of statuses as a whole (contract 6.1), whatever was sent: keys differ,
 * places are those in the array, and tasks have a status to begin in and one to be completed in.
 */
export function faultsOfStatuses(sent: readonly unknown[]): Fault[] {
  const statuses = sent.map((one) => Object(one) as Record<string, unknown>)
  const faults: Fault[] = []
  const keys = new Set<unknown>()
  for (const [at, { key, position }] of statuses.entries()) {
    if (typeof key === 'string' && keys.has(key)) {
      faults.push(fault(`statuses[${at}].key`, 'duplicate', 'is the key of another status'))
    }
    keys.add(key)
    if (Number.isInteger(position) && position !== at) {
      const why = `must be ${at}, its place in the array`
      faults.push(fault(`statuses[${at}].position`, 'invalid_value', why))
    }
  }
  const has = (fits: (category: unknown) => boolean) =>
    statuses.some(({ category }) => fits(category))
  if (statuses.length > 0 && !has((category) => category === 'completed')) {
    const why = 'must hold a status of the category completed'
    faults.push(fault('statuses', 'invalid_value', why))
  }
  if (statuses.length > 0 && !has((category) => OPEN.includes(category))) {
    const why = 'must hold a status of the category backlog, unstarted or started'
    faults.push(fault('statuses', 'invalid_value', why))
  }
  return faults
}
