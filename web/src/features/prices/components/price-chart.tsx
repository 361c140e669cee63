import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react'
import {
  amountRoom,
  type PriceChart as Chart,
  type ChartRange,
  chartHeight,
  chartOf,
  chartRanges,
  chartWidth,
  firstRange,
  nearestRun,
  runAfterKey,
} from '../view/chart.ts'
import type { PriceRun } from '../view/runs.ts'
import { type Formats, rangeLabels, sayRun } from '../view.ts'
import classes from './price-chart.module.css'

type PriceChartProps = {
  /** Oldest first. */
  runs: readonly PriceRun[]
  /** Until when it goes, in milliseconds. */
  until: number
  typical: number | null
  /** What the prices say; stands for the picture where that isn't seen. */
  sentence: string
  shop: Formats
}

/** Of the ring around a price that doesn't count, in pixels. */
const ringRadius = 5

/** A deal's prices over time, as steps; one stop of the keyboard, with the arrows from change to change. */
export function PriceChart({ runs, until, typical, sentence, shop }: PriceChartProps) {
  const [range, setRange] = useState<ChartRange>(() => firstRange(runs, until))
  const [chosen, setChosen] = useState<PriceRun>()
  const name = useId()
  const chart = chartOf({ runs, range, until, typical, decimals: shop.decimals })
  const { shown } = chart
  const at = shown.findIndex(({ run }) => run.point.seen_at === chosen?.point.seen_at)
  const spot = shown[at]
  const isLast = spot?.run.point === runs.at(-1)?.point

  function onKey(event: KeyboardEvent) {
    const next =
      event.altKey || event.ctrlKey || event.metaKey ? undefined : runAfterKey(event.key, at, shown.length)
    if (next === undefined) return
    event.preventDefault()
    setChosen(shown[next]?.run)
  }

  function onPoint({ clientX, currentTarget }: PointerEvent) {
    const { left, width } = currentTarget.getBoundingClientRect()
    const units = (pixels: number) => (pixels / width) * chartWidth
    setChosen(shown[nearestRun(shown, units(clientX - left), units(ringRadius))]?.run)
  }

  return (
    <figure className={classes.figure}>
      <figcaption className={classes.unseen}>{sentence}</figcaption>
      <div className={classes.head}>
        <p className={classes.readout} role="status">
          {spot
            ? sayRun(spot.run, isLast, shop)
            : 'Point at the chart, or use the arrow keys, to read each price.'}
        </p>
        <fieldset className={classes.ranges}>
          <legend className={classes.unseen}>Time shown</legend>
          {chartRanges.map((one) => (
            <label key={one} className={classes.range}>
              <input
                type="radio"
                name={name}
                aria-label={rangeLabels[`${one}`].long}
                checked={range === one}
                onChange={() => setRange(one)}
              />
              {rangeLabels[`${one}`].short}
            </label>
          ))}
        </fieldset>
      </div>
      <div
        className={classes.plot}
        style={{ marginLeft: `${amountRoom(chart.money.map(({ amount }) => shop.money(amount)))}rem` }}
        // What it shows grows with time from left to right, whatever the page's direction.
        dir="ltr"
        role="application"
        aria-roledescription="chart"
        aria-label={`Prices, ${rangeLabels[`${range}`].long}. Arrow keys go from change to change.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its changes.
        tabIndex={0}
        onKeyDown={onKey}
        onPointerMove={onPoint}
        onPointerDown={onPoint}
      >
        <Drawing chart={chart} spot={spot} />
        <Labels chart={chart} shop={shop} typical={typical} />
        {shown.length === 0 && <p className={classes.empty}>Nothing is known of this time.</p>}
      </div>
      <Legend chart={chart} />
    </figure>
  )
}

type DrawingProps = { chart: Chart; spot: Chart['shown'][number] | undefined }

/** Stretched to its box; what must keep its shape is drawn as strokes, which keep their width. */
function Drawing({ chart, spot }: DrawingProps) {
  const { band, money, missing, listLine, priceLine, doubted, now } = chart
  return (
    <svg
      className={classes.drawing}
      viewBox={`0 0 ${chartWidth} ${chartHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {missing.map(({ seenAt, x, width }) => (
        <rect key={seenAt} className={classes.missing} x={x} y={0} width={width} height={chartHeight} />
      ))}
      {band && (
        <rect className={classes.band} x={band.x} y={band.y} width={band.width} height={band.height} />
      )}
      <path className={classes.grid} d={money.map(({ y }) => `M0 ${y}H${chartWidth}`).join('')} />
      <path className={classes.list} d={listLine} />
      <path className={classes.price} d={priceLine} />
      {doubted.map(({ seenAt, x, y, isWrong }) => (
        <g key={seenAt} data-wrong={isWrong || undefined}>
          <path className={classes.ring} d={`M${x} ${y}h0`} />
          <path className={classes.hole} d={`M${x} ${y}h0`} />
        </g>
      ))}
      {now && <path className={classes.now} d={`M${now.x} ${now.y}h0`} />}
      {spot && (
        <>
          <path className={classes.cursor} d={`M${spot.x} 0V${chartHeight}`} />
          {spot.y !== null && <path className={classes.spot} d={`M${spot.x} ${spot.y}H${spot.end}`} />}
        </>
      )}
    </svg>
  )
}

type LabelsProps = { chart: Chart; shop: Formats; typical: number | null }

/** Words beside the drawing, which would be stretched with it. */
function Labels({ chart: { money, times, names, listEnd }, shop, typical }: LabelsProps) {
  return (
    <div aria-hidden="true">
      {money.map(({ y, amount }) => (
        <span key={amount} className={classes.amount} style={{ top: share(y, chartHeight) }}>
          {shop.money(amount)}
        </span>
      ))}
      {times.map(({ x, time }) => (
        <span key={x} className={classes.time} style={{ left: share(x, chartWidth) }}>
          {shop.date(time)}
        </span>
      ))}
      {names.typical !== undefined && typical !== null && (
        <span className={classes.name} style={{ top: share(names.typical, chartHeight), right: 0 }}>
          typical {shop.money(typical)}
        </span>
      )}
      {listEnd && names.list !== undefined && (
        <span
          className={classes.name}
          style={{ top: share(names.list, chartHeight), right: share(chartWidth - listEnd.x, chartWidth) }}
        >
          list price
        </span>
      )}
    </div>
  )
}

/** What is drawn in another way than the rest, where it is there. */
function Legend({ chart: { missing, doubted } }: { chart: Chart }) {
  const isBeyond = doubted.some((price) => price.isBeyond)
  const parts = [
    missing.length > 0 && (['missing', 'not offered'] as const),
    doubted.length > 0 &&
      (['ring', `suspect or wrong: not counted${isBeyond ? ', at the edge where far higher' : ''}`] as const),
  ].filter((part) => part !== false)
  return (
    <p className={classes.legend}>
      <span className={classes.key}>gaps: not known</span>
      {parts.map(([look, words]) => (
        <span key={look} className={classes.key} data-look={look}>
          {words}
        </span>
      ))}
    </p>
  )
}

const share = (part: number, whole: number) => `${(part / whole) * 100}%`
