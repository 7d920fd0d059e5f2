import { Suspense } from 'react'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Button } from '../../../ui/form/button.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { FilterButton } from '../filter/filter-bar.tsx'
import { LazySavedViews } from '../lazy/deferred-components.ts'
import {
  type ProjectPageContext,
  ProjectPageProvider,
  useProjectPageContext,
} from '../project-page-context.ts'
import { useProjectView } from '../project-view.ts'
import { MoreMenu } from './more-menu.tsx'
import { ViewMenus } from './view-menus.tsx'

/** On phones the controls of the view (filter, groups, order) are in a dialog. */
export const openViewSheet = (context: ProjectPageContext): (() => void) =>
  openDialog({
    title: projectViewMessages.viewSheet,
    body: (close) => (
      <ProjectPageProvider value={context}>
        <ViewSheet onClose={close} />
      </ProjectPageProvider>
    ),
  })

function ViewSheet({ onClose }: { onClose: () => void }) {
  const { view, setView } = useProjectView()
  const { page } = useProjectPageContext()
  return (
    <div className="view-sheet">
      <div className="acts">
        <FilterButton />
        {page !== 'mine' && (
          <Suspense>
            <LazySavedViews view={view} />
          </Suspense>
        )}
        <ViewMenus view={view} setView={setView} />
        <MoreMenu view={view} />
      </div>
      <div className="acts dialog-acts">
        <Button kind="primary" onClick={onClose}>
          {projectViewMessages.close}
        </Button>
      </div>
    </div>
  )
}
