import { openInstallationId } from '#webhooks/dispatch/installation-id.ts'
import { defineCommand } from '../command.ts'
import type { CliInstallation } from '../installation.ts'
import { listenCommand } from './webhook-listen.ts'

const resume = defineCommand({
  name: 'webhook resume',
  summary: 'Resume sending webhooks, after a pause, a restore or a copy',
  options: {},
  async run(installation) {
    const home = await openHome(installation)
    if ((await home.findMismatch()) !== undefined) await home.resume()
    return { sending: true }
  },
})

const pause = defineCommand({
  name: 'webhook pause',
  summary: 'Pause sending webhooks; events and deliveries are queued',
  options: {},
  async run(installation) {
    await (await openHome(installation)).pause()
    return { sending: false }
  },
})

export const webhookCommands = [listenCommand, pause, resume]

const openHome = async ({ storage, config }: CliInstallation) =>
  openInstallationId(await storage(), config.dataDir)
