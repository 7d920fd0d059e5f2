import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'

browserTest('each role sees what it may open and use, and why not the rest', async (fixture) => {
  const { as, openAs, ask, team, allow } = fixture
  allow(404)
  await ask('owner', 'POST /api/v1/tasks', { project_id: team.hidden, title: 'Secret plan' })
  for (const role of ['member', 'guest'] as const) {
    const page = await as(role)
    await page.goto(`/w/${team.workspace}/my`)
    await expect(page.getByRole('heading', { level: 1, name: 'My work' })).toBeVisible()
    const expectDisabled = async (section: string, button: string) => {
      await openScreen(page, `/w/${team.workspace}/${section}`)
      const control = page.getByRole('button', { name: button, exact: true })
      await expect(control).toHaveAttribute('aria-disabled', 'true')
      await expect(control).toHaveAttribute('title', /Only owners/)
      await control.click({ force: true })
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
    await expectDisabled('settings/webhooks', 'New webhook')
    await expectDisabled('settings/applications', 'New application')
    await expectDisabled('settings/members', 'Invite')
    await expectDisabled('settings/workspace', 'Save')
    await expectDisabled('p/ENG/settings', 'Save')
    await openScreen(page, `/w/${team.workspace}/p/HID/settings`)
    await expect(page.getByText('Project HID not found.')).toBeVisible()
    await page.goto(`/w/${team.workspace}/p/HID`)
    await expect(page.getByText('Project HID not found.')).toBeVisible()
    await page.goto(`/w/${team.workspace}/t/HID-1`)
    await expect(page.getByText('HID-1 not found')).toBeVisible()
    await page.context().close()
  }
  const admin = await openAs('admin', 'settings/members')
  await expect(admin.getByRole('button', { name: 'Remove The owner' })).toHaveAttribute(
    'title',
    'Only owners can change this role.',
  )
  const owner = await openAs('owner', 'settings/members')
  await expect(owner.getByRole('button', { name: 'Leave the workspace?' })).toHaveAttribute(
    'title',
    /needs an owner/,
  )
})
