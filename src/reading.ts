import { handsTo } from '#cores/hand.ts'
import { Line } from '#cores/line.ts'
import { socketIn } from '#cores/place.ts'
import type { House } from '#http/house.ts'
import type { Use } from '#identity/last-use.ts'
import type { Usage } from '#limits/usage.ts'
import { type Opened, openReader } from '#storage/open.ts'
import type { Config } from './config.ts'

/** The process that writes, to one that only reads. */
export interface Writer {
  line: Line
  hand: NonNullable<House['hand']>
  keepUses(uses: readonly Use[]): Promise<void>
  close(): void
}

/** Opens the database for reading, and the ways to the process that writes. */
export async function openReading(config: Config): Promise<Opened & { writer: Writer }> {
  const path = socketIn(config.dataDir)
  const line = new Line(path)
  const { hand, close } = handsTo(path)
  const opened = await openReader(config, {
    newest: (workspace_id) => line.ask('newest', workspace_id),
    ready: () => line.ask('ready', null).catch(() => false),
  })
  const writer = {
    line,
    hand,
    async keepUses(uses: readonly Use[]) {
      if (uses.length > 0) await line.ask('uses', uses)
    },
    close() {
      line.close()
      close()
    },
  }
  return { ...opened, writer }
}

/** Has the process that writes keep what was counted here; what it did not take it is asked again. */
export function handCounts({ line }: Writer, usage: Usage): () => Promise<boolean> {
  let taken = usage.take()
  return async () => {
    const isLeft = taken.size > 0
    if (!isLeft) taken = usage.take()
    if (taken.size > 0) await line.ask('counts', [...taken])
    taken = new Map()
    return isLeft
  }
}
