import { ActionIcon, Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconChevronLeft, IconChevronRight, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import useEmblaCarousel from 'embla-carousel-react'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import classes from './carousel.module.css'

const stepMs = 5_000

type CarouselProps = {
  title: string
  /** Each holds one link. Their slots are fixed: another content in a slot moves nothing. */
  slides: readonly ReactNode[]
  /** The slot that the row begins with. */
  first: number
  /** What has happened in the row, in few words: a press leads to a slot. */
  news: readonly { name: string; text: string; slot: number; onShow?: () => void }[]
  /** Called with the slots that can be seen, whenever these change. The same set until then. */
  onView: (slots: ReadonlySet<number>) => void
}

/**
 * Slides in an endless row that moves on by itself, unless somebody points at it, is in it with the keyboard, has
 * paused it or wants less motion. Swiping, the buttons and the arrow keys move it too. Slides out of sight can't be
 * reached with Tab; the arrow keys lead to them.
 */
export function Carousel({ title, slides, first, news, onView }: CarouselProps) {
  const [viewport, embla] = useEmblaCarousel({
    loop: true,
    align: 'start',
    skipSnaps: true,
    slides: '[data-slide]',
  })
  const wantsLessMotion = useMediaQuery('(prefers-reduced-motion: reduce)', undefined, {
    getInitialValueInEffect: false,
  })
  const list = useRef<HTMLDivElement>(null)
  const [inView, setInView] = useState<ReadonlySet<number>>()
  const [canMove, setCanMove] = useState(false)
  const [focused, setFocused] = useState<number>()
  const [paused, setPaused] = useState(false)
  const [pointed, setPointed] = useState(false)
  const [entered, setEntered] = useState(false)
  const moving = canMove && !paused && !pointed && !entered && !wantsLessMotion

  useEffect(() => {
    if (embla === undefined) return
    const look = () => {
      const slots = new Set(embla.slidesInView())
      if (slots.size === 0) return
      setInView(slots)
      onView(slots)
    }
    const measure = () => setCanMove(embla.canScrollNext() || embla.canScrollPrev())
    measure()
    look()
    embla.on('slidesInView', look).on('reInit', measure)
    return () => {
      embla.off('slidesInView', look).off('reInit', measure)
    }
  }, [embla, onView])

  const step = useCallback(
    (by: 1 | -1) => {
      if (by === 1) embla?.scrollNext(wantsLessMotion)
      else embla?.scrollPrev(wantsLessMotion)
    },
    [embla, wantsLessMotion],
  )

  useEffect(() => {
    if (!moving) return
    const timer = setInterval(() => {
      if (!document.hidden) step(1)
    }, stepMs)
    return () => clearInterval(timer)
  }, [moving, step])

  const holding = { onFocus: () => setEntered(true), onBlur: () => setEntered(false) }

  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : undefined
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    if (focused === undefined) return step(by)
    const next = (focused + by + slides.length) % slides.length
    // Only a slide that isn't inert takes the focus.
    flushSync(() => setFocused(next))
    list.current?.querySelector<HTMLElement>(`[data-slide="${next}"] a`)?.focus({ preventScroll: true })
    if (!canMove) return
    // Towards the right the row moves only as far as it must.
    if (by === -1 || !isWhole(list.current, next)) step(by)
  }

  return (
    <section
      className={classes.carousel}
      aria-roledescription="carousel"
      aria-label={title}
      data-moving={moving}
      onKeyDown={onKeyDown}
    >
      <div className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        {/* It always exists, so that what comes into it is read out. */}
        <div className={classes.news} role="status">
          {news.map(({ name, text, slot, onShow }) => (
            <Button
              key={name}
              size="compact-sm"
              radius="xl"
              {...holding}
              onClick={() => {
                embla?.scrollTo(slot, wantsLessMotion)
                // The button goes, and nothing tells of a focus that goes with it.
                setEntered(false)
                onShow?.()
              }}
            >
              {text}
            </Button>
          ))}
        </div>
        {canMove && (
          <div className={classes.controls}>
            {!wantsLessMotion && (
              <ActionIcon
                variant="default"
                size={36}
                radius="xl"
                aria-label={paused ? 'Play' : 'Pause'}
                onClick={() => setPaused(!paused)}
              >
                {paused ? (
                  <IconPlayerPlay size={18} aria-hidden />
                ) : (
                  <IconPlayerPause size={18} aria-hidden />
                )}
              </ActionIcon>
            )}
            <span className={classes.steps}>
              <ActionIcon
                variant="default"
                size={36}
                radius="xl"
                aria-label="Previous"
                {...holding}
                onClick={() => step(-1)}
              >
                <IconChevronLeft size={18} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="default"
                size={36}
                radius="xl"
                aria-label="Next"
                {...holding}
                onClick={() => step(1)}
              >
                <IconChevronRight size={18} aria-hidden />
              </ActionIcon>
            </span>
          </div>
        )}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only holds it still */}
      <div
        ref={viewport}
        className={classes.viewport}
        onPointerEnter={(event) => setPointed(event.pointerType === 'mouse')}
        onPointerLeave={() => setPointed(false)}
        onFocus={(event) => {
          setEntered(true)
          const slide = event.target.closest('[data-slide]')
          setFocused(slide ? Number(slide.getAttribute('data-slide')) : undefined)
        }}
        onBlur={() => {
          setEntered(false)
          setFocused(undefined)
        }}
      >
        <div ref={list} className={classes.list}>
          {slides.map((slide, slot) => (
            // biome-ignore lint/a11y/useSemanticElements: a slide is no set of fields
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: a slide is its slot
              key={slot}
              role="group"
              aria-roledescription="slide"
              aria-label={`${((slot - first + slides.length) % slides.length) + 1} of ${slides.length}`}
              data-slide={slot}
              className={classes.slide}
              inert={inView !== undefined && !inView.has(slot) && slot !== focused}
            >
              {slide}
            </div>
          ))}
        </div>
      </div>
    </section>
  )
}

/** Whether a slide lies wholly within the row's frame. */
function isWhole(list: HTMLElement | null, slot: number): boolean {
  const frame = list?.parentElement?.getBoundingClientRect()
  const slide = list?.querySelector(`[data-slide="${slot}"]`)?.getBoundingClientRect()
  return !!frame && !!slide && slide.left >= frame.left - 1 && slide.right <= frame.right + slide.width * 0.1
}
