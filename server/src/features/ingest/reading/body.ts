import { type ImportField, importFieldSchema } from '@dealdeck/contract/ingest'
import { asinOfAddress, isAsin } from '@dealdeck/marketplace/asin'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { AppError } from '../../../platform/errors.ts'
import { type NumberText, numberText } from '../../../platform/numbers.ts'
import { TimeSlice } from '../../../platform/time-slice.ts'
import type { Bytes } from './bytes.ts'
import { type Column, csvColumns, JsonColumns } from './cells.ts'
import { nameScore } from './column-names.ts'
import { type Corrections, type Mapping, mapColumns } from './columns.ts'
import { type ColumnOverride, findColumns } from './corrections.ts'
import { dealReader, type RowResult, type RowRules } from './deal-row.ts'
import { isRatingOutOfRange } from './figures.ts'
import { Findings } from './findings.ts'
import { accepted, type Format } from './format.ts'
import { rowOfKeepa } from './keepa.ts'
import { type BodyLimits, RowLimits } from './limits.ts'
import { type DecimalMark, decimalMarkOf } from './money.ts'
import { type Withdrawn, withdrawOriginals } from './originals.ts'
import { isLonger, rejoined } from './ragged.ts'
import type { RawRow } from './raw-row.ts'
import { repeatedColumns, repeatedNotes, unlessContradicted } from './repeated-columns.ts'
import type { Step } from './row-location.ts'
import { type Batch, readRows } from './rows.ts'
import { mayFill, withStandIns } from './stand-ins.ts'
import { holdsItem, unswallowed } from './swallowed.ts'
import { dateOrderIn, dateOrderOf } from './times.ts'

/** Rows that are looked at before the columns are settled. */
const sampleSize = 200
/** When they come all at once, a few more are; of many columns fewer, as each cell is read as whatever it may be. */
const [mostSampled, mostCells] = [1_000, 20_000]

const timeFields = ['first_seen', 'observed_at', 'ends_at', 'discord_timestamp'] as const

export type ReadingOptions = {
  marketplace: Marketplace
  overrides: readonly ColumnOverride[]
  availability: string
  /** That of the text, where somebody has said it. */
  encoding?: string | undefined
  /** Where the list lies in a JSON document, where somebody has said it. */
  listPath?: readonly Step[] | undefined
  /** Whether rows that state another currency or marketplace are read and marked, rather than refused. */
  marksOtherShops?: boolean
  /** Only the beginning of a body is given, cut off anywhere. */
  isBeginning?: boolean
  limits: BodyLimits
  /** Ends the reading, between two pieces, with its reason. */
  signal?: AbortSignal | undefined
}

type ConvertedRow = { raw: RawRow; result: RowResult }

/** A body being read: its rows become deals or refusals, in order. `mapping` is settled with the first batch. */
export class Body {
  private readonly options: ReadingOptions
  private readonly source: Bytes
  private readonly limits: RowLimits
  private readonly number: NumberText
  private json: JsonColumns | undefined
  private csv: Column[] = []
  private header: readonly string[] | undefined
  private sample: RawRow[] | undefined = []
  private marks: Pick<RowRules, 'priceMark' | 'originalMark'> | undefined
  private dateOrders: RowRules['dateOrders'] = {}
  /** What is said of prices from columns that aren't named so; later rows may have a better column. */
  private readonly priceNotes = new Set<string>()
  private readonly findings = new Findings()
  private read: ((row: RawRow) => RowResult) | undefined
  private ratingsOutOfRange = 0
  private csvFormat: Extract<Format, { kind: 'csv' }> | undefined
  private repeated: ReturnType<typeof repeatedColumns> = []
  private areMostLonger = false
  /** Whether a CSV has begun with records that can't be read. */
  private hasLostRows = false
  format: Format['kind'] = 'json'
  mapping: Mapping = { fields: {}, availableFlag: undefined, priceFallback: undefined }

  constructor(source: Bytes, options: ReadingOptions) {
    this.source = source
    this.options = options
    this.number = numberText(options.marketplace)
    this.limits = new RowLimits(options.limits, this.number)
  }

  /** Every column seen so far. */
  get columns(): Column[] {
    return this.json ? [...this.json.columns.values()] : this.csv
  }

  /** The rows, each with what it became, a batch for every piece of the body. Throws an AppError for a body that can't be read. */
  async *batches(): AsyncGenerator<ConvertedRow[]> {
    for await (const { format, rows } of this.rows()) {
      this.format = format.kind
      if (format.kind === 'csv') this.csvFormat = format
      const data = format.kind === 'csv' ? this.withoutHeader(rows) : this.learn(this.plain(rows))
      if (this.sample) {
        for (const row of data) this.sample.push(row)
        if (this.sample.length < sampleSize) continue
        yield await this.settle(this.sample)
      } else if (data.length > 0) yield await this.convert(data)
    }
    if (this.sample) yield await this.settle(this.sample)
  }

  /** The rows; when only the beginning of a body is at hand, it may end anywhere once there are some. */
  private async *rows(): AsyncGenerator<Batch> {
    let count = 0
    try {
      const { limits, signal, encoding, listPath } = this.options
      const { encoding: onEncoding } = this.findings
      for await (const batch of readRows(this.source, this.limits, {
        ratio: limits.ratio,
        ...{ signal, listPath, onEncoding },
        ...(encoding !== undefined && { encoding }),
      })) {
        count += batch.rows.length
        yield batch
      }
    } catch (error) {
      const { isBeginning, signal } = this.options
      if (!isBeginning || count === 0 || signal?.aborted || !(error instanceof AppError)) throw error
    }
  }

  /** Which column fills which field, by name. */
  mappedNames(): Partial<Record<ImportField, string>> {
    const named: Partial<Record<ImportField, string>> = {}
    for (const { field, column } of this.settled()) named[field] = column
    return named
  }

  private settled(): ColumnOverride[] {
    const { fields } = this.mapping
    return importFieldSchema.options.flatMap((field) => {
      const column = fields[field]
      return column ? [{ field, column: column.name }] : []
    })
  }

  /** What the reader decided beyond the mapping, in plain sentences. */
  notes(): string[] {
    const { fields, availableFlag, priceFallback, priceNote } = this.mapping
    const notes = [...this.priceNotes]
    if (!fields.price && priceNote) notes.push(priceNote)
    if (priceFallback)
      notes.push(`Where ${fields.price?.name} is empty, the price is taken from ${priceFallback.name}.`)
    if (this.ratingsOutOfRange > 0)
      notes.push(
        `Ratings outside 0 to 5 in ${fields.rating?.name} were left out: ${this.number(this.ratingsOutOfRange)}.`,
      )
    if (availableFlag) notes.push(`Rows whose ${availableFlag.name} says no count as not available.`)
    notes.push(...repeatedNotes(this.repeated))
    return [...notes, ...this.findings.notes(this.number)]
  }

  /** Original prices that stand for none; final once all rows are read. */
  withdrawnOriginals(): Withdrawn {
    return this.findings.originals.withdrawn()
  }

  private settle(rows: RawRow[]): Promise<ConvertedRow[]> {
    this.sample = undefined
    this.remap(rows)
    const longer = rows.filter(({ cells }) => cells && isLonger(cells, this.csv))
    this.areMostLonger = longer.length > rows.length / 2
    const isUnnamed = this.header ? Object.keys(this.mapping.fields).length === 0 : this.hasLostRows
    if (this.format === 'csv' && isUnnamed) {
      throw new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        `No column of the first line says what it holds. ${accepted}`,
      )
    }
    return this.convert(rows)
  }

  /** Settles the columns on some rows; the overrides come first. Later rows leave what is settled. */
  private remap(rows: readonly RawRow[], isLate = false): void {
    const columns = this.columns
    const looked = rows.slice(0, Math.min(mostSampled, Math.ceil(mostCells / columns.length)))
    const sampled = columns.map((column) => ({ column, values: looked.map((row) => column.read(row)) }))
    const { marketplace, availability, overrides, marksOtherShops = false } = this.options
    const corrections = findColumns(isLate ? [...this.settled(), ...overrides] : overrides, columns)
    const before = this.mapping
    const map = (given: Corrections) => mapColumns(sampled, given, marketplace.currency)
    let mapping = map(corrections)
    if (before.priceSource === 'cells' || before.priceSource === 'former') {
      const { price: _price, ...others } = corrections
      const better = map(others)
      mapping = better.priceSource === 'name' ? better : { ...mapping, priceSource: before.priceSource }
    }
    const settled = new Set(overrides.map(({ field }) => field))
    this.repeated = repeatedColumns(this.csv, mapping, settled)
    this.mapping = {
      ...withStandIns(mapping, sampled, settled),
      priceFallback: before.priceFallback ?? mapping.priceFallback,
      statedDiscount: mapping.statedDiscount ?? before.statedDiscount,
    }
    if (mapping.fields.price && mapping.priceNote) this.priceNotes.add(mapping.priceNote)
    const habit = new Intl.NumberFormat(marketplace.locale).format(1.5).includes(',') ? ',' : '.'
    const valuesOf = (field: ImportField) =>
      sampled.find(({ column }) => column === mapping.fields[field])?.values ?? []
    const mark = (field: ImportField): DecimalMark => decimalMarkOf(valuesOf(field), habit)
    this.marks = { priceMark: mark('price'), originalMark: mark('original_price'), ...this.marks }
    for (const field of timeFields)
      if (mapping.fields[field])
        this.dateOrders[field] ??= dateOrderOf(valuesOf(field), dateOrderIn(marketplace.locale))
    const { marks, dateOrders, findings } = this
    this.read = dealReader({
      ...{ mapping: this.mapping, marketplace, availability, marksOtherShops },
      ...{ ...marks, dateOrders, findings },
    })
  }

  private async convert(rows: readonly RawRow[]): Promise<ConvertedRow[]> {
    const { read, csv, csvFormat, mapping, limits, repeated, areMostLonger } = this
    const converted: ConvertedRow[] = []
    if (!read) return converted
    const slice = new TimeSlice()
    for (const row of this.unswallowed(rows)) {
      if (slice.isOver) await slice.pause(this.options.signal)
      const raw = csvFormat && row.cells ? rejoined(row, csvFormat, csv, mapping, areMostLonger) : row
      const result = repeated.length > 0 ? unlessContradicted(read(raw), raw, repeated) : read(raw)
      if (result.refusal) limits.refused(result.refusal.reason)
      else {
        limits.accepted()
        if (result.deal.rating === null && isRatingOutOfRange(mapping.fields.rating?.read(raw)))
          this.ratingsOutOfRange += 1
      }
      converted.push({ raw, result })
    }
    // Of a whole body the staged rows are corrected, once all of them have been seen.
    if (this.options.isBeginning)
      withdrawOriginals(
        converted.flatMap(({ result }) => result.deal ?? []),
        this.withdrawnOriginals(),
      )
    return converted
  }

  private unswallowed(rows: readonly RawRow[]): readonly RawRow[] {
    const { csvFormat, csv, mapping } = this
    if (!csvFormat || rows.every(({ text }) => text === undefined)) return rows
    return rows.flatMap((row) => unswallowed(row, csvFormat, csv, mapping))
  }

  /** The rows with Keepa's documents among them as rows of plain columns. */
  private plain(rows: RawRow[]): RawRow[] {
    return rows.map((row) => {
      const plain = row.object ? rowOfKeepa(row.object, this.options.marketplace) : null
      if (plain) this.findings.keepa()
      return plain ?? row
    })
  }

  /** Takes in the columns of JSON rows. Fields that later ones can fill are filled from there on; settled ones stay. */
  private learn(rows: RawRow[]): RawRow[] {
    this.json ??= new JsonColumns(this.number)
    const { columns } = this.json
    const before = columns.size
    for (const { object } of rows) if (object) this.json.learn(object)
    if (this.sample || columns.size === before) return rows
    const added = [...columns.keys()].slice(before)
    if (added.some((name) => mayFill(this.mapping, name))) this.remap(rows, true)
    return rows
  }

  /** Keeps the first record as header, however often it is repeated. A first record that is plainly data gets numbered columns. */
  private withoutHeader(rows: RawRow[]): RawRow[] {
    let data = rows
    if (!this.header) {
      const first = rows.findIndex(
        ({ cells }) => cells && !(cells.length <= 2 && /^sep=.?$/i.test(cells[0] ?? '')),
      )
      const { cells, text } = rows[first] ?? {}
      if (!cells) this.hasLostRows ||= rows.some(({ problem }) => problem !== undefined)
      if (!cells) return []
      const isData =
        cells.some((cell) => isAsin(cell.trim()) || asinOfAddress(cell) !== null) && !cells.some(isFieldName)
      if (!isData && text !== undefined && this.csvFormat && holdsItem(text, this.csvFormat))
        throw new AppError(
          'INVALID_INPUT',
          'A quotation mark of the first line is closed in a later one, so the columns have no names. Nothing was imported.',
        )
      this.header = isData ? [] : cells
      this.csv = csvColumns(isData ? cells.map(() => '') : cells, this.number)
      data = rows.slice(isData ? first : first + 1)
    }
    const { header } = this
    if (header.length === 0) return data
    return data.filter(
      ({ cells }) =>
        !cells || cells.length !== header.length || cells.some((cell, at) => cell !== header[at]),
    )
  }
}

const isFieldName = (cell: string) =>
  (['asin', 'title', 'price', 'product_url'] as const).some((field) => nameScore(field, cell) > 0)
