import { homeOf } from '#delivery/home.ts'
import { command } from './command.ts'
import type { Installation } from './installation.ts'
import { listen } from './webhook-listen.ts'

const resume = command({
  name: 'webhook resume',
  summary: 'Send to webhooks from here, after a pause, a restore or a copy',
  options: {},
  async run(installation) {
    const home = await homeIn(installation)
    if ((await home.whyNot()) !== undefined) await home.settle()
    return { sending: true }
  },
})

const pause = command({
  name: 'webhook pause',
  summary: 'Send nothing to webhooks; events and deliveries wait',
  options: {},
  async run(installation) {
    await (await homeIn(installation)).pause()
    return { sending: false }
  },
})

export const webhookCommands = [listen, pause, resume]

const homeIn = async ({ storage, config }: Installation) => homeOf(await storage(), config.dataDir)
