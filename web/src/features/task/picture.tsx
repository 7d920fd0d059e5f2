import { useEffect, useRef, useState } from 'react'
import type { Attachment } from '../../data/attachments.ts'
import { pictureType } from '../../lib/picture.ts'
import { m } from '../../messages/task.ts'
import { openDialog } from '../../ui/dialog.tsx'

/** Larger pictures are downloaded if wanted, not read to be shown small. */
const MOST_BYTES = 10 * 1024 * 1024

/** A small picture of an attachment, if its bytes are one of the four kinds; pressed, it is shown large. */
export function Picture({ attachment }: { attachment: Attachment }) {
  const { filename } = attachment
  const [place, seen] = useSeen()
  const url = usePicture(attachment, seen)
  return (
    <div ref={place} className="picture">
      {url && (
        <button
          type="button"
          aria-label={m.preview(filename)}
          onClick={() =>
            openDialog({
              title: filename,
              wide: true,
              body: () => <img className="large" src={url} alt={filename} />,
            })
          }
        >
          <img src={url} alt="" />
        </button>
      )}
    </div>
  )
}

/** Whether the place has come into sight. */
function useSeen() {
  const place = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    if (!place.current || seen) return
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && setSeen(true), {
      rootMargin: '200px',
    })
    watch.observe(place.current)
    return () => watch.disconnect()
  }, [seen])
  return [place, seen] as const
}

/** The address of the bytes in this page; undefined while they are not there, and for what is no picture. */
function usePicture({ id, size_bytes }: Attachment, wanted: boolean): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!wanted || size_bytes > MOST_BYTES) return
    const abort = new AbortController()
    let made: string | undefined
    readPicture(id, abort.signal)
      .then((blob) => {
        if (!blob || abort.signal.aborted) return
        made = URL.createObjectURL(blob)
        setUrl(made)
      })
      // Without a picture the file is still there to be downloaded.
      .catch(() => undefined)
    return () => {
      abort.abort()
      if (made) URL.revokeObjectURL(made)
    }
  }, [id, size_bytes, wanted])
  return url
}

async function readPicture(id: string, signal: AbortSignal): Promise<Blob | undefined> {
  const response = await fetch(`/api/v1/attachments/${id}/content`, { signal })
  if (!response.ok) return
  const bytes = new Uint8Array(await response.arrayBuffer())
  const type = pictureType(bytes)
  return type === undefined ? undefined : new Blob([bytes], { type })
}
