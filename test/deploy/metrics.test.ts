import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import type { Storage } from '#core/tx.ts'
import { figures } from '#delivery/figures.ts'
import { createClock } from '#lib/clock.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { receiver, until } from '../support/delivering.ts'
import { emptyDir } from '../support/dir.ts'
import { newHome } from '../support/home.ts'
import { end, SECRET, start } from '../support/process.ts'
import { atEnd, emptyDatabase } from '../support/store.ts'
import { alertsIn, expressionsOfDashboard, faultsOf, seriesIn } from './expressions.ts'

const DASHBOARD = 'deploy/grafana/docket.json'
const ALERTS = 'deploy/prometheus/alerts.yaml'

/** What a server on PostgreSQL says of itself that has served, written and sent. */
async function measured(): Promise<string> {
  const env = { DOCKET_DATABASE_URL: (await emptyDatabase()).url }
  const dataDir = emptyDir()
  const place = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, ...env }
  const { storage } = await openStore(configFrom(place))
  const { keys, project } = await newHome(storage)
  await storage.close()
  const server = await start(dataDir, { env })
  atEnd(() => end(server, 'SIGKILL'))
  const url = `http://127.0.0.1:${server.port}`
  const headers = { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const asked = { method: 'POST', headers, body: JSON.stringify(body) }
    assert.equal((await fetch(`${url}/api/v1${path}`, asked)).status, 201)
  }
  const gone = await receiver()
  gone.answer = (_, response) => response.writeHead(410).end()
  await post('/webhooks', { url: gone.url, events: ['*'] })
  await post('/tasks', { project_id: project, title: 'To be measured' })
  const read = async () => (await fetch(`${url}/metrics`)).text()
  await until('a webhook that is disabled', async () =>
    (await read()).includes('docket_webhooks_disabled_total{reason="gone"} 1'),
  )
  return read()
}

test('a server serves all that the dashboard and the alerts ask for', async () => {
  const text = await measured()
  const served = seriesIn(text)
  const panels = expressionsOfDashboard(DASHBOARD)
  const alerts = alertsIn(ALERTS)
  const all = [...panels, ...alerts.map(({ alert, expr }) => ({ where: alert, text: expr }))]
  assert.deepEqual(
    all.flatMap((one) => faultsOf(one, served)),
    [],
  )
  assert.ok(panels.length > 20 && alerts.length > 5, 'and they ask for something')
  for (const { alert, labels, annotations } of alerts) {
    assert.match(labels.severity, /^(page|ticket)$/, alert)
    assert.ok(annotations.description.length > 60, `${alert} says what to do`)
  }
  const valueIn = (series: string) => Number(text.split(`\n${series} `)[1]?.split('\n')[0])
  const [commits, writes] = ['commits', 'writes'].map((of) => valueIn(`docket_storage_${of}_total`))
  assert.ok(commits !== undefined && writes !== undefined && commits > 0 && writes >= commits)
  assert.ok(valueIn('docket_storage_commit_seconds_total') > 0)
  assert.ok(valueIn('docket_postgres_connections{state="idle"}') > 0)
  assert.equal(valueIn('docket_storage_writes_waiting'), 0)
})

test('a metric or a label that nobody serves is found out', () => {
  const served = seriesIn('# TYPE docket_a_total counter\ndocket_a_total{kind="x"} 1\n')
  const faults = (text: string) => faultsOf({ where: 'here', text }, served)
  assert.deepEqual(faults('sum by (kind) (rate(docket_a_total{job="docket",kind=~"x|y"}[5m]))'), [])
  assert.deepEqual(faults('rate(docket_b_total[5m])'), ['here: nobody serves docket_b_total'])
  assert.deepEqual(faults('other{job="docket"}'), ['here: nobody serves other'])
  assert.deepEqual(faults('docket_a_total{sort!="x"}'), ['here: docket_a_total has no label sort'])
  assert.deepEqual(faults('sum by (sort) (docket_a_total)'), [
    'here: nothing in it has a label sort',
  ])
})

test('what waits is told as it is now, and unknown while the database does not answer', async () => {
  const registry = new Registry()
  const due_at = new Date(Date.now() - 60_000).toISOString()
  let read = async (): Promise<object> => ({ deliveries: 3, events: 2, due_at })
  figures(registry, { clock: createClock(), read: () => read() } as unknown as Storage)
  const told = async () => {
    const lines = (await registry.metrics()).split('\n')
    const names = ['deliveries_pending', 'events_waiting', 'overdue_seconds']
    const values = names.map((name) =>
      lines.find((one) => one.startsWith(`docket_webhook_${name} `)),
    )
    return values.map((line) => Math.round(Number.parseFloat(line?.split(' ')[1] ?? '')))
  }
  assert.deepEqual(await told(), [3, 2, 60])
  read = () => Promise.reject(new Error('gone'))
  assert.deepEqual(await told(), [Number.NaN, Number.NaN, Number.NaN])
})
