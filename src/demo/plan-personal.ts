import { mark } from '#resources/notifications/operations.ts'
import { create as createView, pin } from '#resources/web-app/views/operations.ts'
import type { DemoPerson } from './demo-definitions.ts'
import { createdRecord, type DemoContext, type DemoStep, operationInput } from './demo-step.ts'

type NewView = Parameters<typeof createView>[2]['body']

/** The steps that create saved views and pin them for the owner of the demo. */
export function planViews({ calendar, projects }: DemoContext): DemoStep[] {
  const website = projects.website.id
  const ids = new Map<string, string>()
  const create = (on: number, by: DemoPerson, view: Omit<NewView, 'project_id'>): DemoStep => ({
    at: calendar.timeOn(on, '11:47:00'),
    by,
    run: async (tx) => {
      const body = { ...view, project_id: website }
      const created = await createView(tx, undefined, operationInput(undefined, body))
      ids.set(view.name, createdRecord(created).id)
    },
  })
  return [
    create(-41, 'jonas', { name: 'Bugs', view: 'board', f: 'tag:bug', is_shared: true }),
    create(-24, 'jonas', {
      name: 'Road to launch',
      view: 'timeline',
      f: 'tag:launch',
      is_shared: true,
    }),
    create(-16, 'maya', { name: 'My next two weeks', f: 'assignee:me due:<14d', group: 'due' }),
    {
      at: calendar.timeOn(-16, '11:49:00'),
      by: 'maya',
      run: (tx) => pin(tx, undefined, operationInput(undefined, { view_ids: [...ids.values()] })),
    },
  ]
}

/** The steps by which the owner clears the inbox, except for what came in the last days. */
export function planInbox({ calendar }: DemoContext): DemoStep[] {
  const clear = (on: number, marks: { done?: boolean; read?: boolean }): DemoStep => ({
    at: calendar.timeOn(on, '08:31:00'),
    by: 'maya',
    run: (tx) => mark(tx, undefined, operationInput(undefined, marks)),
  })
  return [
    ...[-70, -56, -42, -28, -14, -5].map((on) => clear(on, { done: true })),
    clear(-2, { read: true }),
  ]
}
