import { readsHeld } from '../lib/pause.ts'
import { signal } from '../lib/signal.ts'

interface Current {
  id: string
  name: string
}

/** The workspace that another tab has made the session's current one, while this tab shows another. */
export const elsewhere = signal<Current | undefined>(undefined)

elsewhere.subscribe(() => readsHeld.set(elsewhere.get() !== undefined))

const channel = new BroadcastChannel('docket-workspace')
let here = ''

/** This tab shows a workspace; what others switch to is heard from now on. */
export function stayIn(workspace_id: string): void {
  here = workspace_id
  elsewhere.set(undefined)
}

/** Tells the other tabs what the session's workspace is now. */
export function tellSwitched(current: Current): void {
  channel.postMessage(current)
}

channel.onmessage = ({ data }: MessageEvent<Current>) => {
  elsewhere.set(data.id === here ? undefined : data)
}
