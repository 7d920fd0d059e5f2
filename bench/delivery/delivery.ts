import { compareBacklogSizes } from './backlog.ts'
import { measureDeliveryDelays } from './delay.ts'
import { compareDeliveryMemory } from './memory.ts'
import { compareTaskCreation } from './task-creation.ts'
import { compareDeliveryRates } from './throughput.ts'

/** The benchmarks of webhook delivery, by the names that DELIVERY accepts. */
const PARTS: Record<string, () => Promise<void>> = {
  creating: compareTaskCreation,
  rate: compareDeliveryRates,
  delay: measureDeliveryDelays,
  memory: compareDeliveryMemory,
  backlog: compareBacklogSizes,
}

/** Runs all of them, or those in DELIVERY: `DELIVERY=rate,delay npm run bench -- delivery`. */
export async function measureDelivery(): Promise<void> {
  const asked = process.env.DELIVERY?.split(',') ?? Object.keys(PARTS)
  for (const name of asked) await PARTS[name]?.()
}
