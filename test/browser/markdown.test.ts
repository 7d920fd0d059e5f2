import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { lines, MARK, PAYLOADS } from './support/payloads.ts'
import { seedTasks } from './support/seed.ts'

/** What stands in the page that must not, whoever wrote it; a line each. */
const harm = (page: Page): Promise<string[]> =>
  page.evaluate((mark) => {
    const found = mark in window ? ['a script ran'] : []
    const own = (url: string) => new URL(url, location.href).origin === location.origin
    for (const element of document.querySelectorAll('*')) {
      const told = element.outerHTML.slice(0, 200)
      const name = element.localName
      for (const { name: attribute } of element.attributes) {
        if (attribute.startsWith('on') || attribute === 'srcdoc') found.push(told)
      }
      if (/^(iframe|object|embed|base|video|audio|marquee|math|applet|frame)$/.test(name)) {
        found.push(told)
      }
      if (name === 'script' && !own((element as HTMLScriptElement).src || 'data:,'))
        found.push(told)
      if (/^(link|meta|style)$/.test(name) && !document.head.contains(element)) found.push(told)
      if (element instanceof HTMLAnchorElement && element.hasAttribute('href')) {
        if (!/^(https?|mailto):$/.test(element.protocol)) found.push(told)
        const rel = element.rel.split(' ')
        if (!own(element.href) && !rel.includes('noopener')) found.push(told)
      }
      if (
        element instanceof HTMLImageElement &&
        !/^(blob:|\/api\/v1\/attachments\/)/.test(element.getAttribute('src') ?? '')
      ) {
        found.push(told)
      }
      if (element instanceof HTMLFormElement && element.hasAttribute('action')) found.push(told)
    }
    return found
  }, MARK)

/** Does the same for each, some at a time. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += 25) await Promise.all(all.slice(at, at + 25).map(work))
}

const text = (page: Page, what: string) => page.getByText(what, { exact: true }).first()

browse(
  'no text that somebody wrote does anything',
  { env: { DOCKET_LIMIT_PAID: '100000' } },
  async (scene) => {
    const { as, team, ask, visitor } = scene
    assert.ok(PAYLOADS.length >= 300, String(PAYLOADS.length))
    const titles = lines(500)
    const [task] = await seedTasks(scene, 1, () => ({
      title: titles[1] ?? '',
      description: PAYLOADS.join('\n\n').slice(0, 65_000),
    }))
    assert.ok(task)
    const names = lines(50)
    const tags: string[] = []
    await each(names.slice(0, 100), async (name) => {
      const path = `POST /api/v1/projects/${team.project}/tags`
      const made = await ask<{ id: string }>('owner', path, { name }).catch(() => undefined)
      if (made) tags.push(made.id)
    })
    assert.ok(tags.length > 50, String(tags.length))
    const fields = lines(1_000).slice(0, 50)
    const custom_fields = Object.fromEntries(fields.map((value, at) => [`f${at}`, value]))
    await ask('owner', `PATCH /api/v1/tasks/${task.id}`, {
      tag_ids: tags.slice(0, 50),
      custom_fields,
    })
    await seedTasks(scene, 200, (n) => ({ title: titles[n % titles.length], parent_id: task.id }))
    const under = `/api/v1/tasks/${task.id}`
    await each(PAYLOADS, (body) => ask('member', `POST ${under}/comments`, { body }))
    await each(titles.slice(0, 100), (note) =>
      ask('owner', `POST ${under}/time-entries`, { duration_seconds: 60, note }),
    )
    const headers = {
      authorization: `Bearer ${team.people.owner.key}`,
      'content-type': 'image/png',
    }
    await each(lines(255).slice(0, 60), async (name) => {
      const filename = encodeURIComponent(name.replace(/[/\\]/g, '_'))
      const url = `${scene.docket.url}${under}/attachments?filename=${filename}`
      const body = `<script>${MARK}=1</script>`
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 201, name)
    })
    // Of a person and of a project, by the session that may.
    const page = await as('owner')
    await page.goto(`/w/${team.workspace}/my`)
    const harmful = '"><img src=x onerror="__harmed=1"><b>N</b>'
    const changed = await page.evaluate(
      async ([name, project]) => {
        const sent = { method: 'PATCH', headers: { 'content-type': 'application/json' } }
        const body = JSON.stringify({ name })
        const replies = [
          await fetch('/internal/account', { ...sent, body }),
          await fetch(`/internal/projects/${project}`, { ...sent, body }),
        ]
        return replies.map(({ status }) => status)
      },
      [harmful, team.project] as const,
    )
    assert.deepEqual(changed, [200, 200])

    await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText(titles[1] ?? '')
    await text(page, harmful).waitFor()
    assert.deepEqual(await harm(page), [])
    const older = page.getByRole('button', { name: 'Show older' })
    const said = page.locator('.said')
    for (let shown = 50; shown < PAYLOADS.length; shown += 50) {
      await expect.poll(() => said.count()).toBeGreaterThanOrEqual(Math.min(shown, PAYLOADS.length))
      await older.click()
    }
    await expect.poll(() => said.count()).toBe(PAYLOADS.length)
    await expect(page.locator('.md-source')).toHaveCount(0)
    assert.deepEqual(await harm(page), [])

    // The same text in an editor and its preview, in a picker, in a list and in the palette.
    await page.keyboard.press('Shift+E')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('region', { name: 'Preview' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Tags: / }).click()
    await page.getByRole('option').first().waitFor()
    assert.deepEqual(await harm(page), [])
    await page.keyboard.press('Escape')
    await page.goto(`/w/${team.workspace}/my`)
    await page.getByRole('navigation', { name: 'Main' }).getByText(harmful).first().waitFor()
    assert.deepEqual(await harm(page), [])

    // The control: where nothing holds them, they do what they mean to do, and it is seen.
    const control = await (await visitor()).context().newPage()
    await control.setContent(`<body>${PAYLOADS[1]}</body>`)
    await expect.poll(() => harm(control)).toContain('a script ran')
    await control.setContent('<a href="javascript:1">x</a><iframe srcdoc="x"></iframe>')
    assert.equal((await harm(control)).length >= 2, true)
  },
)

browse(
  'a text shows all that Markdown may become',
  { env: { DOCKET_LIMIT_PAID: '100000' } },
  async (scene) => {
    const { as, team } = scene
    const description = [
      '| Left | Right |\n|:-----|------:|\n| ~~old~~ | `new` |',
      `Seen by <@${team.people.owner.id}>[^1] at www.example.com, see ENG-1.`,
      '3. third\n\n- [x] done\n- [ ] open\n\n> said **so** &amp; *more*  \n> again',
      '[^1]: A note below.',
    ].join('\n\n')
    const [task] = await seedTasks(scene, 1, () => ({ title: 'All of it', description }))
    assert.ok(task)
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
    const prose = page.locator('.description .prose')
    await expect(prose.locator('td').first()).toHaveCSS('text-align', 'left')
    await expect(prose.locator('td').last()).toHaveCSS('text-align', 'right')
    await expect(prose.locator('del')).toHaveText('old')
    await expect(prose.locator('.mention')).toHaveText('@The owner')
    await expect(prose.getByRole('link', { name: 'ENG-1' })).toBeVisible()
    await expect(prose.locator('ol').first()).toHaveAttribute('start', '3')
    await expect(prose.getByRole('checkbox', { name: 'done' })).toBeChecked()
    await expect(prose.getByRole('checkbox', { name: 'open' })).not.toBeChecked()
    await expect(prose.locator('blockquote strong')).toHaveText('so')
    const site = prose.getByRole('link', { name: 'www.example.com' })
    await expect(site).toHaveAttribute('href', 'http://www.example.com/')
    await prose.locator('sup a').click()
    await expect(page).toHaveURL(/#.*fn-1$/)
    await expect(prose.locator('section li:target')).toContainText('A note below.')
  },
)
