import { bumpAuthVersion } from '#auth/auth-version.ts'
import { removeTotp } from '#auth/second-factor/second-factor.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { conflict } from '#core/api-error.ts'
import type { Storage } from '#core/transaction.ts'
import { disableWebhook } from '#db/deliveries/delivery-queue.ts'
import { lockDataDir } from '#db/installation/data-dir.ts'
import { replaceSecretFile, replaceSecretProof } from '#db/installation/open-store.ts'
import { listedWorkspacesAfter } from '#db/installation/record-lists.ts'
import * as sealed from '#db/installation/sealed-values.ts'
import { removePushKeys } from '#db/notifications/push-devices.ts'
import * as erasure from '#db/retention/person-erasure.ts'
import { REMOVED_NAME, removedEmailOf } from '#lib/anonymize.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import type { Config } from '../../config/config.ts'
import { defineDestructiveCommand } from '../arguments.ts'
import { type CliInstallation, systemActor } from '../installation.ts'
import { readPages } from '../output.ts'

/** What ends with the secret of an installation, and for whom. */
interface SecretDependents {
  sessions: number
  /** Those with a session. */
  people: number
  second_factors: { user_id: string; email: string }[]
  webhooks: { id: string; workspace_id: string; url: string }[]
}

/** The question lists at most this many names; the result lists all. */
const MAX_NAMED = 20

const renew = defineDestructiveCommand({
  name: 'secret renew',
  summary: 'Begin with a new secret, if that of the installation is lost; says what ends',
  secretUse: 'renewed',
  options: {},
  async describeConsequence(installation) {
    return withServerStopped(installation.config, async () =>
      formatConsequence(await listDependents(installation)),
    )
  },
  async run(installation) {
    const { config } = installation
    return withServerStopped(config, async () => {
      const dependents = await listDependents(installation)
      const secret = await installation.secret()
      const store = await installation.storage()
      const { sessions_ended, jobs_dropped } = await dropSealedValues(store, installation)
      for (const { user_id } of dependents.second_factors) {
        await store.write(installation.installationActor, async (tx) => {
          if (!(await removeTotp(tx, user_id))) return
          tx.audit('second_factor.cleared', user_id, { sessions_ended: 0 }, INSTALLATION_AUDIT_LOG)
          await notifyOfSecurityChange(tx, user_id, 'second_factor_removed')
        })
      }
      for (const { id, workspace_id } of dependents.webhooks) {
        await renewWebhookSecret(store, workspace_id, id)
      }
      // Last of all, so that an interrupted command can be run again: until then the server refuses
      // the new secret.
      const replaced =
        config.secret === undefined ? replaceSecretFile(config.dataDir, secret) : undefined
      await store.write(installation.installationActor, async (tx) => {
        await replaceSecretProof(tx, secret)
        tx.audit('secret.renewed', null, { sessions_ended }, INSTALLATION_AUDIT_LOG)
        await bumpAuthVersion(tx)
      })
      const { second_factors, webhooks, people } = dependents
      const former_secret = replaced?.formerPath ?? null
      const formerPlace = former_secret === null ? 'one' : `one, which is in ${former_secret}`
      return {
        secret: replaced?.path ?? 'DOCKET_SECRET',
        former_secret,
        sessions_ended,
        people,
        second_factors,
        webhooks,
        jobs_dropped,
        next: `Store the new secret with your backups; those made before need the former ${formerPlace}. Then start the server, rotate the secrets of the webhooks and enable them.`,
      }
    })
  },
})

export const secretCommands = [renew]

/** A running server would go on encrypting with the former secret. */
async function withServerStopped<T>(
  { databaseUrl, dataDir }: Config,
  work: () => Promise<T>,
): Promise<T> {
  if (databaseUrl !== undefined) return work()
  const lock = lockDataDir(dataDir)
  if (!lock) throw conflict('store_in_use', `A Docket server uses ${dataDir}. Stop it first.`)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

async function listDependents({
  storage,
  installationActor,
}: CliInstallation): Promise<SecretDependents> {
  const store = await storage()
  const totals = await store.read(installationActor, (tx) => tx.one(sealed.sessionTotals, {}))
  const dependents: SecretDependents = {
    sessions: totals?.sessions ?? 0,
    people: totals?.people ?? 0,
    second_factors: [],
    webhooks: [],
  }
  const owners = readPages((page) =>
    store.read(installationActor, (tx) => tx.all(sealed.totpOwnersAfter, page)),
  )
  for await (const page of owners) {
    dependents.second_factors.push(...page.map(({ id, email }) => ({ user_id: id, email })))
  }
  const workspaces = readPages((page) =>
    store.read(installationActor, (tx) => tx.all(listedWorkspacesAfter, page)),
  )
  for await (const page of workspaces) {
    for (const { id: workspace_id } of page) {
      const webhooks = readPages((rows) =>
        store.read(systemActor(workspace_id), (tx) => tx.all(sealed.webhooksAfter, rows)),
      )
      for await (const rows of webhooks) {
        dependents.webhooks.push(...rows.map(({ id, url }) => ({ id, workspace_id, url })))
      }
    }
  }
  return dependents
}

function formatConsequence({
  sessions,
  people,
  second_factors,
  webhooks,
}: SecretDependents): string {
  const apps = nameSome(second_factors.map(({ email }) => email))
  const receivers = nameSome(
    webhooks.map(({ id, workspace_id, url }) => `${id} of ${workspace_id} (${new URL(url).host})`),
  )
  return [
    'This replaces the secret of the installation. Stop every server first. What ends for good:',
    `- ${sessions} sessions of ${people} people, who sign in again`,
    `- the authenticator apps and recovery codes of ${second_factors.length} people, who then sign in without and set them up again${apps}`,
    `- the secrets of ${webhooks.length} webhooks, which stay disabled until you have rotated them${receivers}`,
    '- cursors of lists, sign-ins under way, unsubscribe links, the setup token, and emails that wait to be sent with a link',
    'Passwords, passkeys, API keys, authorized applications and all data stay.',
  ].join('\n')
}

function nameSome(names: readonly string[]): string {
  if (names.length === 0) return ''
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return `: ${names.slice(0, MAX_NAMED).join(', ')}${more}`
}

async function dropSealedValues(store: Storage, { installationActor }: CliInstallation) {
  return store.write(installationActor, async (tx) => {
    const sessions_ended = await tx.run(sealed.removeAllSessions, {})
    const jobs_dropped = await tx.run(sealed.removeSealedJobs, {})
    await tx.run(sealed.removeSealedReplies, {})
    await tx.run(removePushKeys, {})
    // Whose name is erased can be redacted by the id. Only copies of the name alone are not found any more.
    for (const { name, value } of await tx.all(erasure.erasuresUnderWay, {})) {
      const person = { name: REMOVED_NAME, email: removedEmailOf(erasure.erasedUserOf(name)) }
      const progress = { ...JSON.parse(value), sealed: tx.encrypt(JSON.stringify(person)) }
      await tx.run(erasure.saveErasureProgress, { name, value: JSON.stringify(progress) })
    }
    await bumpAuthVersion(tx)
    return { sessions_ended, jobs_dropped }
  })
}

/** As in an imported workspace: a new secret that nobody knows, until it is rotated. */
const renewWebhookSecret = (store: Storage, workspace_id: string, id: string) =>
  store.write(systemActor(workspace_id), async (tx) => {
    await disableWebhook(tx, { id, reason: 'manual' })
    const secret = newWebhookSecret()
    const sealed_secret = tx.encrypt(secret)
    await tx.run(sealed.replaceWebhookSecret, { id, sealed_secret, secret_hint: secret.slice(-4) })
    tx.audit('webhook.secret_rotated', id, {})
  })
