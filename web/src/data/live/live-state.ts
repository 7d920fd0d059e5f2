import { atom } from '../../lib/state/atom.ts'

export type LiveState = 'connecting' | 'live' | 'paused'
/** Whether changes of others arrive at present. */
export const liveState = atom<LiveState>('connecting')
