# R kernel: an interactive R whose profile is this file; its .First never returns to the prompt. The protocol is in
# ../PROTOCOL.md. Base R 4 only: JSON is written and read here.
#
# SPDX-License-Identifier: GPL-3.0-or-later

local({
  channel <- function(variable, mode) {
    value <- Sys.getenv(variable)
    file(if (startsWith(value, "/")) value else paste0("/dev/fd/", value), open = mode, blocking = TRUE, raw = TRUE)
  }
  requests <- channel("INTERP_KERNEL_REQUESTS", "r")
  events <- channel("INTERP_KERNEL_EVENTS", "w")
  token <- Sys.getenv("INTERP_KERNEL_TOKEN")
  spool <- Sys.getenv("INTERP_KERNEL_SPOOL")
  inline <- !nzchar(spool)
  if (inline) spool <- tempdir()
  Sys.unsetenv(grep("^INTERP_KERNEL_", names(Sys.getenv()), value = TRUE))
  Sys.unsetenv("R_PROFILE_USER")

  max_text <- 16000L
  max_inline <- 700000
  cell <- 0
  pages <- 0L
  depth <- 0L
  calls <- NULL

  # ---- JSON ----

  quote_text <- function(text) {
    text <- enc2utf8(as.character(text))
    bad <- is.na(iconv(text, "UTF-8", "UTF-8"))
    if (any(bad)) text[bad] <- iconv(text[bad], "latin1", "UTF-8", sub = "?")
    text <- gsub("\\", "\\\\", text, fixed = TRUE)
    text <- gsub("\"", "\\\"", text, fixed = TRUE)
    text <- gsub("\n", "\\n", text, fixed = TRUE)
    text <- gsub("\r", "\\r", text, fixed = TRUE)
    text <- gsub("\t", "\\t", text, fixed = TRUE)
    text <- gsub("[\001-\037\177]", "?", text)
    paste0("\"", text, "\"")
  }
  to_json <- function(value) {
    if (is.null(value)) return("null")
    if (is.list(value)) {
      inner <- vapply(value, to_json, "")
      if (is.null(names(value))) return(paste0("[", paste(inner, collapse = ","), "]"))
      return(paste0("{", paste0(quote_text(names(value)), ":", inner, collapse = ","), "}"))
    }
    one <- if (is.logical(value)) ifelse(is.na(value), "null", ifelse(value, "true", "false"))
    else if (is.numeric(value)) ifelse(is.finite(value), format(value, digits = 15, scientific = FALSE, trim = TRUE), "null")
    else ifelse(is.na(value), "null", quote_text(value))
    if (length(one) == 1 && !inherits(value, "AsIs")) one else paste0("[", paste(one, collapse = ","), "]")
  }
  # Numbers keep their digits, one by one: format () would give all of them those of the longest.
  number_text <- function(x) ifelse(is.finite(x), vapply(x, function(v) format(v, digits = 15, trim = TRUE), ""), "null")

  # Only what a request can hold: an object of texts, numbers and booleans.
  read_member <- function(line, name) {
    found <- regmatches(line, regexec(paste0("\"", name, "\"\\s*:\\s*(\"((?:[^\"\\\\]|\\\\.)*)\"|-?[0-9.eE+]+|true|false)"), line, perl = TRUE))[[1]]
    if (!length(found)) return(NULL)
    value <- found[2]
    if (!startsWith(value, "\"")) return(if (value %in% c("true", "false")) value == "true" else as.numeric(value))
    text <- found[3]
    text <- gsub("\\\\u([0-9a-fA-F]{4})", "\\\\u\\1", text, perl = TRUE)
    # A text of JSON is one of R's, but for the escaped slash.
    eval(parse(text = paste0("\"", gsub("\\/", "/", text, fixed = TRUE), "\""), keep.source = FALSE)[[1]])
  }

  send <- function(...) {
    writeLines(to_json(list(...)), events, useBytes = TRUE)
    flush(events)
  }
  mark <- function(what) {
    cat(sprintf("\033]7770;%s;%s;%.0f\a", token, what, cell))
    flush(stdout())
  }
  shorten <- function(text, limit = max_text) {
    if (nchar(text, "bytes") <= limit) return(text)
    paste0(substr(text, 1, limit %/% 4), "\n…\n", substr(text, nchar(text) - limit %/% 2, nchar(text)))
  }

  # ---- rich results ----

  encode64 <- function(path) {
    bytes <- as.integer(readBin(path, "raw", file.size(path)))
    letters64 <- c(LETTERS, letters, 0:9, "+", "/")
    padding <- (3 - length(bytes) %% 3) %% 3
    bytes <- matrix(c(bytes, integer(padding)), nrow = 3)
    value <- bytes[1, ] * 65536L + bytes[2, ] * 256L + bytes[3, ]
    quads <- rbind(value %/% 262144L, value %/% 4096L %% 64L, value %/% 64L %% 64L, value %% 64L)
    text <- letters64[quads + 1L]
    if (padding) text[length(text) - seq_len(padding) + 1L] <- "="
    paste(text, collapse = "")
  }
  show_file <- function(mime, path, ...) {
    if (!inline) return(send(t = "display", id = cell, mime = mime, path = path, ...))
    if (file.size(path) > max_inline)
      send(t = "display", id = cell, mime = "text/plain",
           data = { note <- tempfile(); writeLines(sprintf("(%s of %.0f bytes is too large to be shown)", mime, file.size(path)), note); encode64(note) })
    else send(t = "display", id = cell, mime = mime, data = encode64(path), ...)
    unlink(path)
  }
  plot_pattern <- function() file.path(spool, sprintf("r-%.0f-%%04d.png", cell))
  options(device = function(...) {
    grDevices::png(plot_pattern(), width = 1400, height = 1000, res = 144, type = if (capabilities("cairo")) "cairo" else getOption("bitmapType"))
    grDevices::dev.control(displaylist = "enable")
  })
  show_plots <- function() {
    while (grDevices::dev.cur() > 1) grDevices::dev.off()
    pattern <- sprintf("^r-%.0f-[0-9]+\\.png$", cell)
    for (path in sort(list.files(spool, pattern, full.names = TRUE)))
      if (file.size(path) > 0) {
        pages <<- pages + 1L
        kept <- file.path(spool, sprintf("plot-%d-%d.png", Sys.getpid(), pages))
        file.rename(path, kept)
        show_file("image/png", kept, scale = 2, text = "plot")
      }
  }
  column_json <- function(column, n) {
    column <- utils::head(column, n)
    if (is.list(column)) column <- vapply(column, function(x) paste(utils::capture.output(print(x)), collapse = " "), "")
    if (is.logical(column)) return(ifelse(is.na(column), "null", ifelse(column, "true", "false")))
    if (is.numeric(column) && !is.object(column)) return(number_text(column))
    text <- as.character(column)
    ifelse(is.na(text), "null", quote_text(substr(text, 1, 2000)))
  }
  show_table <- function(data) {
    total <- nrow(data)
    shown <- min(total, 1000L)
    wide <- min(ncol(data), 200L)
    columns <- names(data)[seq_len(wide)]
    types <- vapply(data[seq_len(wide)], function(x) class(x)[1], "")
    cells <- lapply(seq_len(wide), function(i) column_json(data[[i]], shown))
    labels <- attr(data, "row.names")
    if (is.character(labels)) {
      columns <- c("", columns)
      types <- c("row", types)
      cells <- c(list(quote_text(utils::head(labels, shown))), cells)
    }
    rows <- if (shown > 0 && length(cells)) paste0("[", do.call(paste, c(cells, sep = ",")), "]") else character()
    path <- tempfile("table-", spool, ".json")
    extra <- if (ncol(data) > wide) sprintf(",\"total_columns\":%d", ncol(data)) else ""
    writeLines(sprintf("{\"columns\":[%s],\"types\":[%s],\"rows\":[%s],\"total_rows\":%d%s}", paste(quote_text(columns), collapse = ","),
                       paste(quote_text(types), collapse = ","), paste(rows, collapse = ","), total, extra), path, useBytes = TRUE)
    text <- paste(utils::capture.output(print(utils::head(as.data.frame(data), 20))), collapse = "\n")
    if (total > 20) text <- paste0(text, sprintf("\n(%d rows in all)", total))
    show_file("application/vnd.interpreter.table+json", path, text = shorten(text))
  }

  display <- function(mime, data, text = NULL, scale = NULL) {
    path <- tempfile("display-", spool)
    if (is.raw(data)) writeBin(data, path) else writeLines(as.character(data), path, useBytes = TRUE)
    do.call(show_file, c(list(mime, path), if (!is.null(text)) list(text = as.character(text)), if (!is.null(scale)) list(scale = scale)))
    invisible(NULL)
  }

  show_value <- function(value, last) {
    if (last && is.data.frame(value)) {
      shown <- tryCatch({ show_table(value); TRUE }, error = function(e) FALSE)
      if (shown) return(invisible())
    }
    if (isS4(value)) methods::show(value) else print(value)
  }

  # ---- a cell ----

  leave <- function(status) {
    condition <- structure(class = c("interpreter_exit", "condition"), list(message = "exit", call = NULL, status = status))
    signalCondition(condition)
    stop("exit", call. = FALSE)
  }
  # R waits for the keyboard in a way that cannot be told from sleeping, so it is said.
  ask <- function(prompt = "") {
    send(t = "input_request", id = cell, prompt = paste(as.character(prompt), collapse = ""), password = FALSE)
    on.exit(send(t = "input_done", id = cell))
    base::readline(prompt)
  }
  quit_cell <- function(save = "default", status = 0, runLast = TRUE) leave(as.integer(status))

  error_line <- function(condition, expressions, at, code_file) {
    # The innermost call that stands in the cell.
    for (frame in rev(calls)) {
      source <- attr(frame, "srcref")
      if (!is.null(source) && identical(attr(source, "srcfile")$filename, code_file)) return(as.integer(source)[1])
    }
    if (length(at)) as.integer(at)[1] else 0L
  }

  execute <- function(id, path) {
    cell <<- id
    calls <<- NULL
    mark("start")
    send(t = "started", id = id)
    name <- sprintf("<cell %.0f>", id)
    outcome <- list(status = "ok", code = 0L)
    code <- tryCatch(readLines(path, warn = FALSE, encoding = "UTF-8"), error = function(e) character())
    report <- function(error_name, message, traceback, line) {
      fields <- list(t = "error", id = id, name = error_name, message = shorten(message), traceback = shorten(traceback, 60000L), line = line)
      missing <- regmatches(message, regexec("there is no package called .([A-Za-z][A-Za-z0-9.]*)", message))[[1]]
      if (length(missing)) fields$module <- missing[2]
      do.call(send, fields)
      outcome <<- list(status = "error", code = 1L)
    }
    expressions <- tryCatch(
      parse(text = code, keep.source = TRUE, srcfile = srcfilecopy(name, code)),
      error = function(e) {
        message <- sub("^<text>", name, conditionMessage(e))
        cat("Error: ", message, "\n", sep = "", file = stderr())
        place <- regmatches(message, regexec(":([0-9]+):", message))[[1]]
        report("", message, "", if (length(place)) as.integer(place[2]) else 0L)
        NULL
      })
    at <- NULL
    if (!is.null(expressions)) {
      places <- attr(expressions, "srcref")
      shown_line <- 0L
      last_line_event <- 0
      tryCatch(
        withCallingHandlers(
          for (i in seq_along(expressions)) {
            at <- places[[i]]
            now <- proc.time()[["elapsed"]]
            if (i > 1 && now - last_line_event > 0.1) {
              send(t = "line", id = id, line = as.integer(at)[1])
              last_line_event <- now
            }
            allowInterrupts({
              Sys.sleep(0) # one that came before is seen now, not when a child program has ended
              value <- withVisible(eval(expressions[[i]], globalenv()))
              if (value$visible) show_value(value$value, i == length(expressions))
            })
          },
          warning = function(w) {
            call <- conditionCall(w)
            where <- if (is.null(call) || identical(call[[1]], quote(eval))) "" else paste0(" in ", deparse(call, nlines = 1L)[1])
            cat("Warning", where, ": ", conditionMessage(w), "\n", sep = "", file = stderr())
            invokeRestart("muffleWarning")
          },
          error = function(e) calls <<- sys.calls()),
        interpreter_exit = function(e) outcome <<- list(status = "exit", code = e$status),
        error = function(e) {
          call <- conditionCall(e)
          inner <- !is.null(call) && !identical(call[[1]], quote(eval))
          text <- paste0("Error", if (inner) paste0(" in ", deparse(call, nlines = 1L)[1]), ": ", conditionMessage(e))
          cat(text, "\n", sep = "", file = stderr())
          kept <- Filter(function(frame) is.call(frame), calls)
          first <- which(vapply(kept, function(frame) identical(frame[[1]], quote(eval)) && length(frame) > 1 && identical(frame[[2]], quote(expressions[[i]])), TRUE))
          if (length(first)) kept <- utils::tail(kept, -(first[1] + 1L))
          plumbing <- c("h", ".handleSimpleError", "stop", "withVisible", "withCallingHandlers", "allowInterrupts")
          kept <- Filter(function(frame) !(is.symbol(frame[[1]]) && as.character(frame[[1]]) %in% plumbing), kept)
          stack <- vapply(kept, function(frame) deparse(frame, nlines = 1L)[1], "")
          trace <- paste(c(text, if (length(stack)) paste0("  ", rev(stack))), collapse = "\n")
          name <- class(e)[1]
          report(if (name == "simpleError") "" else name, conditionMessage(e), trace, error_line(e, expressions, at, sprintf("<cell %.0f>", id)))
        },
        interrupt = function(e) outcome <<- list(status = "interrupted", code = 130L))
    }
    tryCatch(show_plots(), error = function(e) NULL)
    while (sink.number() > 0) sink()
    mark("end")
    send(t = "finished", id = id, status = outcome$status, code = outcome$code, cwd = tryCatch(getwd(), error = function(e) "/"))
  }

  configure <- function(line) {
    columns <- read_member(line, "columns")
    if (is.numeric(columns) && columns >= 20) options(width = min(as.integer(columns), 500L))
    wanted <- read_member(line, "inline")
    if (is.logical(wanted)) inline <<- wanted || !nzchar(spool)
  }

  serve <- function() {
    send(t = "ready", proto = 1L, lang = "r", version = paste(R.version$major, R.version$minor, sep = "."), pid = Sys.getpid(),
         exe = file.path(R.home("bin"), "R"), cwd = getwd(), features = list("line", "input", "display", "table"))
    repeat tryCatch({
      line <- readLines(requests, 1L, warn = FALSE, encoding = "UTF-8")
      if (!length(line)) break
      tryCatch(Sys.sleep(0), interrupt = function(e) NULL) # a stray one is not the next cell's
      switch(tryCatch(as.character(read_member(line, "t")), error = function(e) ""),
             # Held but for the code itself: one that comes between must not end the cell untold.
             execute = suspendInterrupts(execute(read_member(line, "id"), read_member(line, "path"))),
             config = configure(line),
             shutdown = break)
    }, interrupt = function(e) NULL)
    send(t = "exiting", code = 0L)
    base::quit("no", runLast = FALSE)
  }

  # `q ()` ends the cell, not the kernel; readline () tells that it asks; display () is ours.
  masks <- list(q = quit_cell, quit = quit_cell, readline = ask, display = display)
  assign(".First", function() {
    .First.sys()
    rm(".First", envir = globalenv())
    attach(masks, name = "interpreter", warn.conflicts = FALSE)
    serve()
  }, envir = globalenv())
})
