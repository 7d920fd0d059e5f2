import { signal } from '../../lib/signal.ts'

/**
 * Whether the tour is shown: to who has just made an account or the installation their own, which happens once,
 * or to who has asked for it.
 */
export const tour = signal<'offered' | 'asked' | undefined>(undefined)

export const offerTour = (): void => tour.set('offered')
export const openTour = (): void => tour.set('asked')
