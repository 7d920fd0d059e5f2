import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createJobMetrics } from '#jobs/queue/job-metrics.ts'
import { createDeliveryMetrics } from '#webhooks/metrics.ts'
import { atEnd, createEmptyDatabase } from '../support/engines/test-database.ts'
import { endServer, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { startDeliveryReceiver } from '../support/webhooks/delivering-docket.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import {
  ALERTS,
  findExpressionFaults,
  parseSeries,
  readAlerts,
  readDashboardExpressions,
} from './prometheus.ts'

const DASHBOARD = 'deploy/grafana/docket.json'

/** Returns the metrics of a server on PostgreSQL that has served, written and sent. */
async function readMetrics(): Promise<string> {
  const env = {
    DOCKET_DATABASE_URL: (await createEmptyDatabase()).url,
    DOCKET_BACKUP_TO: createTempDir(),
    DOCKET_BACKUP_SCHEDULE: 'daily',
  }
  const dataDir = createTempDir()
  const place = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, ...env }
  const { storage } = await openStore(parseConfig(place))
  const { keys, project } = await createTestWorkspace(storage)
  await storage.close()
  const server = await startServer(dataDir, { env })
  atEnd(() => endServer(server, 'SIGKILL'))
  const url = `http://127.0.0.1:${server.port}`
  const headers = { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const asked = { method: 'POST', headers, body: JSON.stringify(body) }
    assert.equal((await fetch(`${url}/api/v1${path}`, asked)).status, 201)
  }
  const webhookReceiver = await startDeliveryReceiver()
  webhookReceiver.answer = (_, response) => response.writeHead(410).end()
  await post('/webhooks', { url: webhookReceiver.url, events: ['*'] })
  await post('/tasks', { project_id: project, title: 'To be measured' })
  const read = async () => (await fetch(`${url}/metrics`)).text()
  await waitUntil('a webhook that is disabled', async () =>
    (await read()).includes('docket_webhooks_disabled_total{reason="gone"} 1'),
  )
  return read()
}

test('the server provides every metric of the dashboard and the alerts', async () => {
  const text = await readMetrics()
  const served = parseSeries(text)
  const panels = readDashboardExpressions(DASHBOARD)
  const alerts = readAlerts(ALERTS)
  const all = [...panels, ...alerts.map(({ alert, expr }) => ({ where: alert, text: expr }))]
  assert.deepEqual(
    all.flatMap((one) => findExpressionFaults(one, served)),
    [],
  )
  assert.ok(panels.length > 12 && alerts.length > 5, 'there are panels and alerts')
  for (const { alert, labels, annotations } of alerts) {
    assert.match(labels.severity, /^(page|ticket)$/, alert)
    assert.ok(annotations.description.length > 60, `${alert} says what to do`)
  }
  const valueIn = (series: string) => Number(text.split(`\n${series} `)[1]?.split('\n')[0])
  const [commits, writes] = ['commits', 'writes'].map((of) => valueIn(`docket_storage_${of}_total`))
  assert.ok(commits !== undefined && writes !== undefined && commits > 0 && writes >= commits)
  assert.ok(valueIn('docket_storage_commit_seconds_total') > 0)
  const connections = ['idle', 'used'].map((state) =>
    valueIn(`docket_postgres_connections{state="${state}"}`),
  )
  assert.ok(connections.some((count) => count > 0))
  assert.equal(valueIn('docket_storage_writes_waiting'), 0)
})

test('attempts to send emails are counted by whether they succeed', async () => {
  const registry = new Registry()
  const onAttempt = createJobMetrics(registry, () => Promise.reject(new Error('gone')))
  const readCounts = async () =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('docket_email_attempts_total{'))
      .map((line) => line.split(/[{ "]/).filter((part) => part !== ''))
      .map(([, , outcome, , count]) => `${outcome} ${count}`)
  assert.deepEqual(await readCounts(), ['sent 0', 'retried 0', 'failed 0'])
  for (const outcome of ['done', 'retried', 'retried', 'failed', 'interrupted'] as const) {
    onAttempt({ name: 'security_email' }, outcome)
    onAttempt({ name: 'import' }, outcome)
  }
  assert.deepEqual(await readCounts(), ['sent 1', 'retried 2', 'failed 1'])
})

test('queue metrics are current, and NaN while the database does not answer', async () => {
  const registry = new Registry()
  let load = async () => ({ deliveries: 3, events: 2, overdueSeconds: 60 })
  createDeliveryMetrics(registry, () => load())
  const readQueueMetrics = async () => {
    const lines = (await registry.metrics()).split('\n')
    const names = ['deliveries_pending', 'events_waiting', 'overdue_seconds']
    const values = names.map((name) =>
      lines.find((one) => one.startsWith(`docket_webhook_${name} `)),
    )
    return values.map((line) => Number.parseFloat(line?.split(' ')[1] ?? ''))
  }
  assert.deepEqual(await readQueueMetrics(), [3, 2, 60])
  load = () => Promise.reject(new Error('gone'))
  assert.deepEqual(await readQueueMetrics(), [Number.NaN, Number.NaN, Number.NaN])
})
