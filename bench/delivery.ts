import { compareBacklogs } from './delivery-backlog.ts'
import { compareCreating } from './delivery-creating.ts'
import { measureDelays } from './delivery-delay.ts'
import { compareMemory } from './delivery-memory.ts'
import { compareRates } from './delivery-rate.ts'

/** Whether webhooks are told fast enough, and what they cost those who ask for nothing of it. */
const PARTS: Record<string, () => Promise<void>> = {
  creating: compareCreating,
  rate: compareRates,
  delay: measureDelays,
  memory: compareMemory,
  backlog: compareBacklogs,
}

/** All of it, or what `DELIVERY` names: `DELIVERY=rate,delay npm run bench -- delivery`. */
export async function measureDelivery(): Promise<void> {
  const asked = process.env.DELIVERY?.split(',') ?? Object.keys(PARTS)
  for (const name of asked) await PARTS[name]?.()
}
