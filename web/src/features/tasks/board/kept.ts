import { useState } from 'react'

/** What a board keeps in this browser, by column: how many tasks are too many, and which are folded. */
export interface Kept {
  limits: Readonly<Record<string, number>>
  folded: Readonly<Record<string, boolean>>
}

const NOTHING: Kept = { limits: {}, folded: {} }

function read(key: string): Kept {
  const stored = localStorage.getItem(key)
  if (!stored) return NOTHING
  try {
    const { limits = {}, folded = {} } = JSON.parse(stored) as Partial<Kept>
    return { limits, folded }
  } catch {
    return NOTHING
  }
}

/** The same as state; `set` keeps it, too. */
export function useKept(
  project_id: string,
  group: string,
): [Kept, (change: Partial<Kept>) => void] {
  const key = `docket.board.${project_id}.${group}`
  const [kept, keep] = useState({ key, value: read(key) })
  const value = kept.key === key ? kept.value : read(key)
  const set = (change: Partial<Kept>) => {
    const next = { ...value, ...change }
    localStorage.setItem(key, JSON.stringify(next))
    keep({ key, value: next })
  }
  return [value, set]
}
