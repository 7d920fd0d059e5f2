import { ahead } from '../lib/ahead.ts'

/** Menus, pickers, calendars and dialogs, loaded before they are needed for the first time. */
export const loadFloats = () => import('./lazy/one-float.tsx')

/** Begins to load them, e.g. when the pointer comes near; a failure shows when one is opened. */
export const preload = (): void => void loadFloats().catch(() => undefined)

/** Loads them while nothing else is to be done. */
export const preloadWhenIdle = (): void => ahead(loadFloats)
