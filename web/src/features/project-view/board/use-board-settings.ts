import { useState } from 'react'
import { localStore } from '../../../lib/state/browser-storage.ts'

/**
 * The settings of a board that are stored in this browser, by column: task limits and folded
 * columns.
 */
export interface BoardSettings {
  limits: Readonly<Record<string, number>>
  folded: Readonly<Record<string, boolean>>
}

const NO_SETTINGS: BoardSettings = { limits: {}, folded: {} }

function readSettings(key: string): BoardSettings {
  const json = localStore.read(key)
  if (!json) return NO_SETTINGS
  try {
    const { limits = {}, folded = {} } = JSON.parse(json) as Partial<BoardSettings>
    return { limits, folded }
  } catch {
    return NO_SETTINGS
  }
}

/** The board settings as React state that is also written to local storage. */
export function useBoardSettings(
  project_id: string,
  group: string,
): [BoardSettings, (change: Partial<BoardSettings>) => void] {
  const key = `docket.board.${project_id}.${group}`
  const [stored, setStored] = useState({ key, value: readSettings(key) })
  const value = stored.key === key ? stored.value : readSettings(key)
  const update = (change: Partial<BoardSettings>) => {
    const next = { ...value, ...change }
    localStore.write(key, JSON.stringify(next))
    setStored({ key, value: next })
  }
  return [value, update]
}
