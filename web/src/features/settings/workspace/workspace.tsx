import { lazy, Suspense, useState } from 'react'
import type { updateWorkspace } from '#resources/workspace/internal.ts'
import { changeBoot, manages, useBoot } from '../../../data/boot.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { Problem } from '../../../lib/problem.ts'
import { m as common } from '../../../messages/settings.ts'
import { m } from '../../../messages/workspace.ts'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { allZones } from '../../accounts/zones.ts'
import { Band, Head } from '../head.tsx'
import { Deletion } from './deletion.tsx'
import { SignInRule } from './sign-in-rule.tsx'
import { Usage } from './usage.tsx'

const Transfer = lazy(() => import('../records.ts').then((it) => ({ default: it.Transfer })))

/** What holds for everybody in the workspace, and how much of its requests are used. */
export default function Workspace() {
  const boot = useBoot()
  return (
    <>
      <Head title={common.sections.workspace}>
        {manages(boot)
          ? m.why
          : `${m.why} ${common.needsAdmin(common.roleWords[boot.session.user.role])}`}
      </Head>
      <div className="scroll">
        <General />
        {manages(boot) && <SignInRule />}
        {manages(boot) && (
          <Suspense fallback={<Skeleton lines={2} />}>
            <Transfer />
          </Suspense>
        )}
        {manages(boot) && <Usage />}
        <Deletion />
      </div>
    </>
  )
}

const PLANS = ['free', 'paid'] as const

function General() {
  const boot = useBoot()
  const { workspace, user } = boot.session
  const [locked, setLocked] = useState(false)
  const mayManage = manages(boot)
  const isOwner = user.role === 'owner'
  const planHint = m.planHint(workspace.requests_per_minute)
  const send = async ({ name = '', timezone = '', plan = '' }) => {
    const chosen = PLANS.find((one) => one === plan)
    const body = {
      ...(name !== workspace.name && { name }),
      ...(timezone !== workspace.timezone && { timezone }),
      ...(chosen && chosen !== workspace.plan && { plan: chosen }),
    }
    try {
      const saved = await call<typeof updateWorkspace>('PATCH /internal/workspace', { body })
      changeBoot((now) => ({ ...now, session: { ...now.session, workspace: saved } }))
      toast({ text: m.saved })
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'plan_locked') throw error
      setLocked(true)
    }
  }
  return (
    <section aria-label={m.general}>
      <Band title={m.general} />
      <Form className="set-form" label={m.general} onSubmit={send}>
        <TextField
          label={m.name}
          name="name"
          defaultValue={workspace.name}
          autoComplete="organization"
          maxLength={100}
          readOnly={!mayManage}
          required
        />
        <SelectField
          label={m.zone}
          name="timezone"
          defaultValue={workspace.timezone}
          options={allZones(workspace.timezone)}
          hint={m.zoneHint}
          disabled={!mayManage}
        />
        <SelectField
          key={String(locked)}
          label={m.plan}
          name="plan"
          defaultValue={workspace.plan}
          options={PLANS.map((plan) => ({ value: plan, label: m.plans[plan] }))}
          disabled={!isOwner || locked}
          hint={
            locked ? m.planLocked : [planHint, !isOwner && m.planOwners].filter(Boolean).join(' ')
          }
        />
        <FormActs>
          <Submit reason={mayManage ? undefined : common.managersOnly}>{common.save}</Submit>
        </FormActs>
      </Form>
    </section>
  )
}
