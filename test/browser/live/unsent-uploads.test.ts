import assert from 'node:assert/strict'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

const CONTENT = 'What is in the file'
const textFile = (name: string) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(CONTENT),
})

browserTest(
  'uploads a file that was attached offline after its tab was closed',
  async (fixture) => {
    const { as, team, ask, allow } = fixture
    allow(CONNECTION_ERRORS)
    const [task] = await seedTasks(fixture, 1)
    assert.ok(task)
    const page = await as('member')
    const context = page.context()
    const address = `/w/${team.workspace}/t/${task.short_id}`
    await page.goto(address)
    const input = page.getByRole('region', { name: 'Attachments' }).locator('input[type=file]')
    await input.waitFor({ state: 'attached' })
    await context.setOffline(true)
    await input.setInputFiles(textFile('kept.txt'))
    await expect(page.getByText('kept.txt')).toBeVisible()
    await expect.poll(() => countStoredMutations(page)).toBe(1)
    await page.close()
    await context.setOffline(false)

    const next = await context.newPage()
    // The first request reaches the server, but its page ends before the reply.
    const isSent = Promise.withResolvers<void>()
    await next.route(`**/api/v1/tasks/${task.id}/attachments?filename=*`, async (route) => {
      await route.fetch()
      isSent.resolve()
    })
    await next.goto(address)
    await isSent.promise
    await next.close()
    const last = await context.newPage()
    await last.goto(address)
    await expect(last.getByRole('link', { name: 'kept.txt' })).toBeVisible()
    await expect.poll(() => countStoredMutations(last)).toBe(0)
    const { data } = await ask<{ data: { size_bytes: number; content_type: string }[] }>(
      'owner',
      `GET /api/v1/tasks/${task.id}/attachments`,
    )
    assert.deepEqual(
      data.map(({ size_bytes, content_type }) => [size_bytes, content_type]),
      [[CONTENT.length, 'text/plain']],
    )
  },
)

browserTest('repeats an upload whatever stands in its way', async (fixture) => {
  const { as, team, allow } = fixture
  allow(/ERR_FAILED|net::/, 429)
  const [task] = await seedTasks(fixture, 1)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  const files = page.getByRole('region', { name: 'Attachments' })
  const input = files.locator('input[type=file]')
  await input.waitFor({ state: 'attached' })
  const answers = [
    { status: 200, contentType: 'text/html', body: 'Sign in to the network first' },
    { status: 204 },
    {
      status: 429,
      headers: { 'x-ratelimit-limit': '5000', 'retry-after': '1' },
      json: {
        error: { code: 'rate_limit_exceeded', message: '', details: [], request_id: 'req_1' },
      },
    },
  ]
  const requests: string[] = []
  await routeRequests(page, `**/attachments?filename=*`, async (route) => {
    const name = new URL(route.request().url()).searchParams.get('filename') ?? ''
    requests.push(name)
    const answer = name === 'stuck.txt' ? undefined : answers.shift()
    if (name === 'stuck.txt') await route.abort()
    else if (answer) await route.fulfill(answer)
    else await route.fallback()
  })
  await input.setInputFiles([textFile('stuck.txt'), textFile('later.txt')])
  await expect(files.getByRole('link', { name: 'later.txt' })).toBeVisible()
  await expect(files.getByText('stuck.txt')).toBeVisible()
  assert.equal(requests.filter((name) => name === 'later.txt').length, 4)
  await files.getByRole('button', { name: 'Cancel upload of stuck.txt' }).click()
  await expect(files.getByText('stuck.txt')).toBeHidden()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
})
