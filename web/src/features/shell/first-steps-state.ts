import { atom } from '../../lib/state/atom.ts'
import { localStore } from '../../lib/state/browser-storage.ts'

const STORAGE_KEY = 'docket.first-steps'

/** The steps that a new person has tried in this browser; undefined for others, and once dismissed. */
export const triedSteps = atom<readonly string[] | undefined>(
  localStore.read(STORAGE_KEY)?.split(' ').filter(Boolean),
)

/** Stores the steps that were tried; undefined dismisses the checklist. */
export function saveTriedSteps(steps: readonly string[] | undefined): void {
  triedSteps.set(steps)
  localStore.write(STORAGE_KEY, steps?.join(' '))
}

/** Offers the checklist to somebody who has just got an account. */
export const offerFirstSteps = (): void => saveTriedSteps([])
