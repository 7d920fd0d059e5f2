import { Suspense } from 'react'
import { m } from '../../messages/tasks.ts'
import { Button } from '../../ui/button.tsx'
import { openDialog } from '../../ui/dialog.tsx'
import { FilterBar } from './filter-bar.tsx'
import { MoreMenu } from './more-menu.tsx'
import { SavedViews } from './parts.ts'
import { type Screen, ScreenOf } from './screen.ts'
import { useView } from './view.ts'
import { ViewMenus } from './view-menus.tsx'

/** On a phone the view is chosen in a sheet: filter, groups, order. */
export const openViewSheet = (screen: Screen): (() => void) =>
  openDialog({
    title: m.viewSheet,
    body: (close) => (
      <ScreenOf value={screen}>
        <ViewSheet onClose={close} />
      </ScreenOf>
    ),
  })

function ViewSheet({ onClose }: { onClose: () => void }) {
  const { view, look } = useView()
  return (
    <div className="view-sheet">
      <FilterBar view={view} look={look} />
      <div className="acts">
        <Suspense>
          <SavedViews view={view} />
        </Suspense>
        <ViewMenus view={view} look={look} />
        <MoreMenu view={view} />
      </div>
      <div className="acts dialog-acts">
        <Button kind="primary" onClick={onClose}>
          {m.close}
        </Button>
      </div>
    </div>
  )
}
