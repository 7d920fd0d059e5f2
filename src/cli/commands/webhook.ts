import { loadBacklog } from '#db/deliveries/delivery-queue.ts'
import { openInstallationId } from '#webhooks/installation-id.ts'
import { defineCommand, defineDestructiveCommand } from '../arguments.ts'
import type { CliInstallation } from '../installation.ts'

const resume = defineDestructiveCommand({
  name: 'webhook resume',
  summary: 'Resume sending webhooks, after a pause, a restore or a copy',
  options: {},
  async describeConsequence(installation) {
    const state = await (await openId(installation)).inspect()
    if (state === undefined || state === 'new') return undefined
    const { deliveries, events } = await loadBacklog(await installation.storage())
    const bucket = installation.config.s3
      ? ' It also deletes attachments in the bucket that this data does not refer to, even if another installation does.'
      : ''
    return `This sends webhooks from here, beginning with ${deliveries} deliveries and ${events} events that wait. If another server still sends for this data, receivers get them twice.${bucket}`
  },
  async run(installation) {
    const id = await openId(installation)
    if ((await id.findMismatch()) !== undefined) await id.resume()
    return { sending: true }
  },
})

const pause = defineCommand({
  name: 'webhook pause',
  summary: 'Pause sending webhooks; events and deliveries are queued',
  options: {},
  async run(installation) {
    await (await openId(installation)).pause()
    return { sending: false }
  },
})

export const webhookCommands = [pause, resume]

const openId = async ({ storage, config }: CliInstallation) =>
  openInstallationId(await storage(), config.dataDir)
