import './first-steps.css'
import { useNavigate } from '@tanstack/react-router'
import { useBoot } from '../../data/session/boot.ts'
import { hasRight } from '../../data/session/rights.ts'
import { isTouch } from '../../lib/browser/is-touch.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { firstStepsMessages } from '../../messages/app/first-steps.ts'
import { Button } from '../../ui/form/button.tsx'
import { StatusMark } from '../../ui/marks/status-mark.tsx'
import { openDialog } from '../../ui/overlays/dialog.tsx'
import { runAfterMenu } from '../../ui/overlays/overlay-stack.ts'
import { openPalette } from '../palette/index.ts'
import { saveTriedSteps, triedSteps } from './first-steps-state.ts'
import { openShortcutsDialog } from './shortcuts-state.ts'
import { startNewTask } from './start-new-task.ts'

type StepName = keyof typeof firstStepsMessages.steps

/** Opens the checklist of what to try in the first days. */
export const openFirstSteps = (): void =>
  void openDialog({
    title: firstStepsMessages.title,
    body: (close) => <FirstSteps onClose={close} />,
  })

/** Leads to each step; a step that was opened counts as done. */
function FirstSteps({ onClose }: { onClose: () => void }) {
  const { session } = useBoot('session')
  const navigate = useNavigate()
  const tried = useAtom(triedSteps)
  const openSettings = (section: string) => () => {
    const params = { workspaceId: session.workspace.id, section }
    void navigate({ to: '/w/$workspaceId/settings/$section', params, search: {} })
  }
  const steps: [StepName, run: () => void][] = [
    ['task', () => startNewTask()],
    ['find', () => openPalette()],
    ...(isTouch() ? [] : ([['keys', openShortcutsDialog]] satisfies [StepName, () => void][])),
    ['profile', openSettings('profile')],
    ...(hasRight(session.user, 'manage_workspace')
      ? ([
          ['invite', openSettings('members')],
          ['import', openSettings('import')],
        ] satisfies [StepName, () => void][])
      : []),
    ...(hasRight(session.user, 'shape_projects')
      ? ([['api', openSettings('api')]] satisfies [StepName, () => void][])
      : []),
  ]
  const open = (name: StepName, run: () => void) => {
    if (tried) saveTriedSteps([...new Set([...tried, name])])
    onClose()
    runAfterMenu(run)
  }
  return (
    <>
      <ul className="first-steps">
        {steps.map(([name, run]) => {
          const [label, hint] = firstStepsMessages.steps[name]
          const isDone = tried?.includes(name)
          return (
            <li key={name}>
              <StatusMark
                mark={isDone ? 'done' : 'todo'}
                {...(isDone && { label: firstStepsMessages.done })}
              />
              <Button kind="plain" onClick={() => open(name, run)}>
                {label}
              </Button>
              <span className="quiet">{hint}</span>
            </li>
          )
        })}
      </ul>
      {tried && (
        <div className="acts">
          <Button
            onClick={() => {
              saveTriedSteps(undefined)
              onClose()
            }}
          >
            {firstStepsMessages.dismiss}
          </Button>
        </div>
      )}
    </>
  )
}
