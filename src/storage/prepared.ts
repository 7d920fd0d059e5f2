import { hash } from 'node:crypto'
import { codeOf } from './postgres-errors.ts'

/** How many statements of a pool have names. */
const MOST_NAMED = 1_000

/** A statement is unknown under its name on this connection, or was known already. */
const FOREIGN = new Set(['26000', '42P05'])

/** Gives statements names, by which a connection plans each of them once. */
export interface Prepared {
  /** Nothing where there is no room for more. */
  nameOf(sql: string): { name?: string }
  /**
   * Whether an error tells that connections change under their user: a pooler that does not keep count of
   * prepared statements. From then on nothing has a name, and what has failed has done nothing.
   */
  isForeign(error: unknown): boolean
}

/**
 * Names are made from the whole statement: where a pooler mixes up connections a name never stands for
 * another statement, of this version of Docket or of any.
 */
export function prepared(): Prepared {
  const names = new Map<string, string>()
  let isOff = false
  return {
    nameOf(sql) {
      if (isOff) return {}
      let name = names.get(sql)
      if (name === undefined) {
        if (names.size >= MOST_NAMED) return {}
        name = hash('sha256', sql).slice(0, 32)
        names.set(sql, name)
      }
      return { name }
    },
    isForeign(error) {
      if (!FOREIGN.has(codeOf(error) ?? '')) return false
      isOff = true
      return true
    },
  }
}
