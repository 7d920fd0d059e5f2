import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { updateProject } from '#resources/projects/internal.ts'
import { loadIndex } from '../../../data/project-index.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/projects.ts'
import { announce } from '../../../ui/announce.ts'
import { Button } from '../../../ui/button.tsx'
import { FormLine } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { takeProject } from '../known.ts'
import type { SettingProps } from './general.tsx'
import { removeStatus } from './remove-status.tsx'
import { type Draft, draftsOf, isChanged, isWhole, moved, sentOf } from './status-edit.ts'
import { StatusLine } from './status-line.tsx'

/** The statuses of a project in their order; kept together, because only the whole list is right or wrong. */
export function Statuses({ project, reason }: SettingProps) {
  const [drafts, setDrafts] = useState(() => draftsOf(project.statuses))
  const [round, setRound] = useState(0)
  const { data: counts } = useQuery({
    queryKey: ['index', project.id, 'statuses'],
    staleTime: 0,
    retry: false,
    queryFn: async ({ signal }) => {
      const { index } = await loadIndex(project.id, 'group=status', signal)
      return new Map(index.groups.map(({ key, count }) => [key, count]))
    },
  })
  const changed = isChanged(drafts, project.statuses)
  const change = (id: string, patch: Partial<Draft>) =>
    setDrafts((all) => all.map((one) => (one.id === id ? { ...one, ...patch } : one)))
  const move = (from: number, to: number) => {
    const one = drafts[from]
    if (!one || to < 0 || to >= drafts.length) return
    setDrafts(moved(drafts, from, to))
    announce(m.movedTo(one.name, to + 1, drafts.length))
  }
  const remove = (draft: Draft) => {
    const drop = () => setDrafts((all) => all.filter(({ id }) => id !== draft.id))
    // What is not known to be empty is asked about.
    if (draft.key === undefined || counts?.get(draft.key) === 0) drop()
    else removeStatus(project, draft.key, drop)
  }
  const send = async () => {
    const sent = { params: { id: project.id }, body: { statuses: sentOf(drafts) } }
    const saved = await call<typeof updateProject>('PATCH /internal/projects/:id', sent)
    takeProject(saved)
    setDrafts(draftsOf(saved.statuses))
    setRound((now) => now + 1)
    toast({ text: m.saved })
  }
  return (
    <Form key={round} className="set-form" label={m.tabs.statuses} onSubmit={send}>
      <FormLine>
        <p>{m.statusesWhy}</p>
      </FormLine>
      <ol className="status-list">
        {drafts.map((draft, at) => (
          <StatusLine
            key={draft.id}
            draft={draft}
            at={at}
            of={drafts.length}
            count={draft.key === undefined ? 0 : counts?.get(draft.key)}
            reason={reason}
            onChange={(patch) => change(draft.id, patch)}
            onMove={(to) => move(at, to)}
            onRemove={() => remove(draft)}
          />
        ))}
      </ol>
      <input type="hidden" name="statuses" />
      <FormLine>
        <div className="acts">
          <Button
            icon="plus"
            reason={reason}
            onClick={() => setDrafts([...drafts, fresh(crypto.randomUUID())])}
          >
            {m.addStatus}
          </Button>
        </div>
        {!isWhole(drafts) && (
          <p className="error" role="alert">
            {m.oneDone}
          </p>
        )}
      </FormLine>
      <FormLine>
        <div className="acts">
          <Submit reason={reason}>{m.save}</Submit>
          {changed && (
            <>
              <Button kind="plain" onClick={() => setDrafts(draftsOf(project.statuses))}>
                {m.discard}
              </Button>
              <span className="quiet">{m.unsaved}</span>
            </>
          )}
        </div>
      </FormLine>
    </Form>
  )
}

const fresh = (id: string): Draft => ({
  id,
  key: undefined,
  name: m.newStatus,
  category: 'started',
  color: undefined,
})
