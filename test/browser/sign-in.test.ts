import assert from 'node:assert/strict'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { signIn } from './support/seed.ts'

browse('sign-in returns to the page that was asked for, never to another site', async (scene) => {
  const { visitor, team, allow } = scene
  allow(401)
  const { email, password } = team.people.member
  const page = await visitor()
  await page.goto(`/w/${team.workspace}/projects`)
  await page.waitForURL('**/sign-in?next=**')
  const fill = async (address: string, word: string) => {
    await page.getByLabel('Email').fill(address)
    await page.getByLabel('Password', { exact: true }).fill(word)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const said: (string | null)[] = []
  for (const address of [email, 'nobody@nowhere.example']) {
    await fill(address, 'not the password')
    await expect(page.getByText('Email or password is wrong.')).toBeVisible()
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
    said.push(await page.locator('form').textContent())
  }
  assert.equal(said[0], said[1])
  await accessible(page)
  await fill(email, password)
  await page.waitForURL(`**/w/${team.workspace}/projects`)
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()

  for (const next of ['//evil.example/', 'https://evil.example/']) {
    const again = await visitor()
    await again.goto(`/sign-in?next=${encodeURIComponent(next)}`)
    await again.getByLabel('Email').fill(email)
    await again.getByLabel('Password', { exact: true }).fill(password)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await again.waitForURL(`**/w/${team.workspace}/my`)
    await again.context().close()
  }
})

browse('rate-limits sign-in after ten wrong passwords, also for the right one', async (scene) => {
  const { visitor, team, docket, allow } = scene
  allow(429)
  const { email, password } = team.people.guest
  for (let n = 0; n < 10; n++) {
    await fetch(`${docket.url}/internal/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: docket.url },
      body: JSON.stringify({ email, password: `wrong ${n}` }),
    })
  }
  const page = await visitor()
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText(/Too many attempts. Try again at \d\d:\d\d/)).toBeVisible()
})

browse('an expired session asks for the password and keeps unsaved text', async (scene) => {
  const { as, team, allow } = scene
  allow(401)
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/p/ENG/settings?tab=tags`)
  await page.getByRole('textbox', { name: 'New tag' }).fill('half written')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Add tag' }).click()
  const form = page.getByRole('dialog', { name: 'Your session has ended' })
  await expect(form.getByLabel('Password')).toBeFocused()
  await accessible(page)
  await page.keyboard.press('Escape')
  await form.getByLabel('Password').fill(team.people.owner.password)
  await form.getByRole('button', { name: 'Sign in' }).click()
  await expect(form).toBeHidden()
  await expect(page.getByRole('textbox', { name: 'New tag' })).toHaveValue('half written')
  await page.getByRole('button', { name: 'Add tag' }).click()
  await expect(page.getByLabel('Rename half written')).toBeVisible()
})

browse('signing out clears what the browser has stored', async ({ visitor, team }) => {
  const page = await visitor()
  await signIn(page, team.people.member)
  await page.goto(`/w/${team.workspace}/settings/profile`)
  await page.getByLabel('Theme').selectOption('dark')
  await page.evaluate(() => localStorage.setItem('docket.draft.x', 'secret plans'))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual([])
})
