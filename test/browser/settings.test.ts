import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { signIn } from './support/seed.ts'

const SECTIONS = ['profile', 'api', 'webhooks', 'applications', 'members', 'workspace', 'audit']
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true }

/** Nothing sticks out to the side. */
const fits = async (page: Page) =>
  assert.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    `${page.url()} scrolls to the side`,
  )

/** Those with what is in them are among all screens: see `every-screen.test.ts`. */
browse(
  'every settings section fits a phone, and is accessible without applications',
  async (scene) => {
    const { as, team } = scene
    const wide = await as('owner')
    const phone = await as('owner', PHONE)
    const go = async (page: Page, section: string) => {
      await page.goto(`/w/${team.workspace}/settings/${section}`)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.locator('.bones')).toHaveCount(0)
    }
    for (const section of SECTIONS) {
      await go(phone, section)
      await fits(phone)
    }
    await go(wide, 'applications')
    await accessible(wide)
    await phone.getByLabel('Section').selectOption('profile')
    await phone.waitForURL('**/settings/profile')
    await wide.goto(`/w/${team.workspace}/settings/nothing`)
    await expect(wide.getByText('There are no settings called “nothing”.')).toBeVisible()
  },
)

browse('controls that a role may not use are disabled and say why', async ({ as, team }) => {
  for (const role of ['member', 'guest'] as const) {
    const page = await as(role)
    const off = async (section: string, button: string) => {
      await page.goto(`/w/${team.workspace}/${section}`)
      const control = page.getByRole('button', { name: button, exact: true })
      await expect(control).toHaveAttribute('aria-disabled', 'true')
      await expect(control).toHaveAttribute('title', /Only owners/)
      await control.click({ force: true })
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
    await off('settings/webhooks', 'New webhook')
    await off('settings/applications', 'New app')
    await off('settings/members', 'Invite')
    await off('settings/workspace', 'Save')
    await off('p/ENG/settings', 'Save')
    await page.goto(`/w/${team.workspace}/p/HID/settings`)
    await expect(page.getByText('There is no project HID here.')).toBeVisible()
    await page.context().close()
  }
  const admin = await as('admin')
  await admin.goto(`/w/${team.workspace}/settings/members`)
  await expect(admin.getByRole('button', { name: 'Remove The owner' })).toHaveAttribute(
    'title',
    'Only owners change owners.',
  )
  const owner = await as('owner')
  await owner.goto(`/w/${team.workspace}/settings/members`)
  await expect(owner.getByRole('button', { name: 'Leave the workspace?' })).toHaveAttribute(
    'title',
    /needs an owner/,
  )
})

browse('a profile: name, password, looks, devices', async ({ visitor, as, team, allow }) => {
  allow(401, 422)
  const person = team.people.member
  const page = await visitor()
  await signIn(page, person)
  const other = await as('member')
  await other.goto(`/w/${team.workspace}/my`)
  await page.goto(`/w/${team.workspace}/settings/profile`)
  const you = page.getByRole('form', { name: 'You' })
  await you.getByLabel('Name').fill('Mei Tanaka')
  await you.getByLabel('Time zone').selectOption('Asia/Tokyo')
  await you.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Profile saved')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Mei Tanaka' })).toBeVisible()

  await page.getByLabel('Theme', { exact: true }).selectOption('dark')
  await page.getByLabel('Rows', { exact: true }).selectOption('roomy')
  await page.getByLabel(/Single-key shortcuts/).uncheck()
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await expect(page.locator('html')).toHaveAttribute('data-density', 'roomy')
  await expect(page.getByLabel(/Single-key shortcuts/)).not.toBeChecked()
  await expect(you.getByLabel('Time zone')).toHaveValue('Asia/Tokyo')

  const form = page.getByRole('form', { name: 'Sign-in' })
  await form.getByLabel('New password').fill('another fine sentence')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByLabel('Current')).toBeFocused()
  await form.getByLabel('Current').fill('not it')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByLabel('Current')).toHaveAttribute('aria-invalid', 'true')
  await expect(form.getByLabel('New password')).toHaveValue('another fine sentence')
  await form.getByLabel('Current').fill(person.password)
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText(/^Password changed/)).toBeVisible()
  await other.goto(`/w/${team.workspace}/my`)
  await other.waitForURL('**/sign-in?next=**')

  await signIn(other, { ...person, password: 'another fine sentence' })
  await page.reload()
  await expect(page.getByText('this one')).toHaveCount(1)
  await page.getByRole('button', { name: 'End all others' }).click()
  await expect(page.getByText('Ended 1 other session')).toBeVisible()
  await other.goto(`/w/${team.workspace}/my`)
  await other.waitForURL('**/sign-in?next=**')
})

browse('a member changes role, is removed, and leaves their tasks to another', async (scene) => {
  const { as, team, ask } = scene
  const { member, admin } = team.people
  const task = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
    project_id: team.project,
    title: 'Somebody has to',
    assignee_ids: [member.id],
  })
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/p/ENG/settings`)
  await page.getByLabel('Lead').selectOption('The member')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Saved').first()).toBeVisible()
  await page.goto(`/w/${team.workspace}/settings/members`)
  await page.getByLabel('Role of The guest').selectOption('member')
  await expect(page.getByText('The guest is a member now')).toBeVisible()
  await page.getByRole('button', { name: 'Remove The member' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('1 open task is assigned to The member.')).toBeVisible()
  await expect(dialog.getByText('The member leads 1 project.')).toBeVisible()
  await dialog.getByLabel('Tasks').selectOption({ label: 'Go to The admin' })
  await accessible(page)
  await dialog.getByRole('button', { name: 'Remove The member' }).click()
  await expect(page.getByText('Removed The member')).toBeVisible()
  const now = await ask<{ assignee_ids: string[] }>('owner', `GET /api/v1/tasks/${task.id}`)
  assert.deepEqual(now.assignee_ids, [admin.id])
  await page.goto(`/w/${team.workspace}/p/ENG/settings`)
  await expect(page.getByLabel('Lead')).toHaveValue(admin.id)

  await page.goto(`/w/${team.workspace}/settings/workspace`)
  await page.getByLabel('Name').fill('Halden Works')
  await page.getByLabel('Plan').selectOption('paid')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Workspace saved')).toBeVisible()
  await expect(page.getByLabel('Plan')).toHaveValue('paid')
})
