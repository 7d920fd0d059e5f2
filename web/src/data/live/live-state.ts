import { atom } from '../../lib/state/atom.ts'

export type LiveState = 'connecting' | 'live' | 'paused'
/** Whether changes of others arrive at present. */
export const liveState = atom<LiveState>('connecting')

/** When the last change of others arrived, in ms since 1970; updated at most once a second. */
export const lastChangeAt = atom<number | undefined>(undefined)

/** Records that a change has arrived. */
export function markChange(): void {
  if (Date.now() - (lastChangeAt.get() ?? 0) > 1_000) lastChangeAt.set(Date.now())
}
