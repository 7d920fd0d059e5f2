import { ahead } from '../lib/ahead.ts'
import type { Float } from './floats.ts'

/** The parts of what floats, each loaded before it is needed for the first time. */
export const parts = {
  menu: () => import('./lazy/menu.tsx'),
  pick: () => import('./lazy/pick.tsx'),
  date: () => import('./lazy/date.tsx'),
  dialog: () => import('./lazy/dialog.tsx'),
} satisfies Record<Float['kind'], () => Promise<unknown>>

/** Begins to load a part, e.g. when the pointer comes near; a failure shows when it is opened. */
export const preload = (kind: Float['kind']): void => void parts[kind]().catch(() => undefined)

/** Loads all of them while nothing else is to be done. */
export const preloadWhenIdle = (): void => ahead(...Object.values(parts))
