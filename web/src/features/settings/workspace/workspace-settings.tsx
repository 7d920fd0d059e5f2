import type { updateWorkspace } from '#resources/workspace/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { updateBoot, useBoot, useRight } from '../../../data/session/boot.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { roleMessages } from '../../../messages/app/roles.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { workspaceMessages } from '../../../messages/settings/workspace.ts'
import { CopyButton } from '../../../ui/form/copy-button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { SelectField, TextField } from '../../../ui/form/form-field.tsx'
import { useRecordEdits } from '../../../ui/form/use-record-edits.ts'
import { getTimeZoneOptions } from '../../accounts/index.ts'
import { SectionHeader, SettingsHeader } from '../settings-header.tsx'
import { DeleteWorkspaceSection } from './delete-workspace-section.tsx'
import { SecondFactorPolicySettings } from './second-factor-policy.tsx'

/** The settings of the workspace itself, and its end. */
export default function WorkspaceSettings() {
  const { role } = useBoot('session').session.user
  const canManage = useRight('manage_workspace')
  return (
    <>
      <SettingsHeader title={settingsMessages.sections.workspace}>
        {canManage
          ? workspaceMessages.why
          : `${workspaceMessages.why} ${settingsMessages.needsAdmin(roleMessages[role].inSentence)}`}
      </SettingsHeader>
      <div className="scroll">
        <GeneralSettings />
        {canManage && <SecondFactorPolicySettings />}
        <DeleteWorkspaceSection />
      </div>
    </>
  )
}

const PLANS = ['free', 'paid'] as const

function GeneralSettings() {
  const { session, settings } = useBoot('session', 'settings')
  const { workspace } = session
  const canManage = useRight('manage_workspace')
  const isOwner = useRight('own_workspace')
  const planHint = workspaceMessages.planHint(workspace.requests_per_minute)
  const edits = useRecordEdits(workspace)
  const { values, set } = edits
  const send = async () => {
    const body = edits.changes
    const to = 'PATCH /internal/workspace'
    const saved = await requestEndpoint<typeof updateWorkspace>(to, { body })
    updateBoot((current) => ({ ...current, session: { ...current.session, workspace: saved } }))
    edits.reset(saved)
    showToast({ text: workspaceMessages.saved })
  }
  return (
    <section aria-label={workspaceMessages.general}>
      <SectionHeader title={workspaceMessages.general} />
      <Form
        className="set-form"
        guard={edits.hasChanges}
        label={workspaceMessages.general}
        onSubmit={send}
      >
        <TextField
          label={workspaceMessages.name}
          name="name"
          value={values.name}
          onChange={({ target }) => set('name', target.value)}
          autoComplete="organization"
          maxLength={100}
          readOnly={!canManage}
          required
        />
        <SelectField
          label={workspaceMessages.zone}
          name="timezone"
          value={values.timezone}
          onChange={({ target }) => set('timezone', target.value)}
          options={getTimeZoneOptions(workspace.timezone)}
          hint={workspaceMessages.zoneHint}
          disabled={!canManage}
        />
        {settings.offers_plans && (
          <SelectField
            label={workspaceMessages.plan}
            name="plan"
            value={values.plan}
            onChange={({ target }) =>
              set('plan', PLANS.find((one) => one === target.value) ?? values.plan)
            }
            options={PLANS.map((plan) => ({ value: plan, label: workspaceMessages.plans[plan] }))}
            disabled={!isOwner}
            hint={[planHint, !isOwner && workspaceMessages.planOwners].filter(Boolean).join(' ')}
          />
        )}
        <TextField
          label={workspaceMessages.id}
          name="id"
          value={workspace.id}
          hint={workspaceMessages.idHint}
          beside={<CopyButton text={workspace.id} aria-label={workspaceMessages.copyId} />}
          readOnly
        />
        <FormActions>
          <SubmitButton reason={canManage ? undefined : settingsMessages.managersOnly}>
            {settingsMessages.save}
          </SubmitButton>
        </FormActions>
      </Form>
    </section>
  )
}
