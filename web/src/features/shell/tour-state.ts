import { atom } from '../../lib/state/atom.ts'

/**
 * Whether the tour is shown: offered once after signing up or setting up the installation, or
 * requested by the user.
 */
export const tourState = atom<'offered' | 'requested' | undefined>(undefined)

export const offerTour = (): void => tourState.set('offered')
export const openTour = (): void => tourState.set('requested')
