/* test-codecs.c: answers as servers write them, cut everywhere
 *
 * Every answer is given to the codec whole, byte by byte and in two pieces cut at each byte; what comes of it must be
 * the same each time. In the tables ' stands for ".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm-decode.h"
#include "llm-split.h"

typedef struct
{
  const char *name;
  const char *body;
  const char *expected;
} Case;

static void
check_cases (const DecodeSetup *setup, const Case *cases, gsize n_cases)
{
  for (gsize i = 0; i < n_cases; i++)
    {
      g_autofree char *body = quote (cases[i].body);
      g_autofree char *expected = quote (cases[i].expected);

      const char *pieces[] = { body };
      const gsize lengths[] = { strlen (body) };
      g_autofree char *whole = decode (pieces, lengths, 1, (gpointer) setup);

      g_test_message ("%s", cases[i].name);
      if (!g_str_equal (whole, expected))
        {
          g_test_message ("\"%s\" instead of \"%s\"", whole, expected);
          g_test_fail ();
          continue;
        }
      check_splits (body, -1, expected, decode, (gpointer) setup);
    }
}

/* ---- Chat Completions ---- */

#define DELTA(delta) "data: {'choices':[{'index':0,'delta':" delta "}]}\n\n"
#define TEXT(text) DELTA ("{'content':'" text "'}")
#define CALLS(calls) DELTA ("{'tool_calls':[" calls "]}")
#define FINISH(reason) "data: {'choices':[{'index':0,'delta':{},'finish_reason':'" reason "'}]}\n\n"
#define DONE "data: [DONE]\n\n"
#define STOP FINISH ("stop") DONE
/* Arguments as they stand in a string of JSON. */
#define ARGUMENTS(language, code) "'{\\'language\\':\\'" language "\\',\\'code\\':\\'" code "\\'}'"

static const Case chat_cases[] = {
  /* how it is framed */
  { "plain",
    "data: {'choices':[{'index':0,'delta':{'role':'assistant','content':''}}]}\n\n" TEXT ("He") TEXT ("y") STOP,
    "Hey#end!done" },
  { "no space behind the colon",
    "data:{'choices':[{'delta':{'content':'Hey'}}]}\n\ndata:{'choices':[{'delta':{},"
    "'finish_reason':'stop'}]}\n\ndata:[DONE]\n\n",
    "Hey#end!done" },
  { "CRLF", "data: {'choices':[{'delta':{'content':'Hey'},'finish_reason':'stop'}]}\r\n\r\ndata: [DONE]\r\n\r\n",
    "Hey#end!done" },
  { "lone CR", "data: {'choices':[{'delta':{'content':'Hey'},'finish_reason':'stop'}]}\r\rdata: [DONE]\r\r",
    "Hey#end!done" },
  { "no line end at the end", "data: {'choices':[{'delta':{'content':'Hey'},'finish_reason':'stop'}]}\n\ndata: [DONE]",
    "Hey#end!done" },
  { "a byte order mark, comments, empty events, event names",
    "\xef\xbb\xbf: PROCESSING\n\ndata:\n\nevent: message\nid: 7\n" TEXT ("Hey") ": keep-alive\n\n" STOP,
    "Hey#end!done" },
  { "an event over several lines", "data: {'choices':[{'delta':\ndata: {'content':'Hey'}}]}\n\n" STOP, "Hey#end!done" },
  { "the end without its mark", TEXT ("Hey") FINISH ("stop"), "Hey#end!done" },
  { "the mark without a reason", TEXT ("Hey") DONE, "Hey#end!done" },
  { "what comes behind the mark", TEXT ("Hey") STOP TEXT ("!"), "Hey#end!done" },
  { "characters of two, three and four bytes", TEXT ("äö 漢字 🦊🦊") STOP, "äö 漢字 🦊🦊#end!done" },
  { "escaped ones, with a surrogate pair and half of one", TEXT ("\\u00e4 \\ud83e\\udd8a \\ud83e.") STOP,
    "ä 🦊 \xef\xbf\xbd.#end!done" },
  { "a whole completion instead of a stream",
    "{'choices':[{'index':0,'message':{'role':'assistant','content':'Hey','tool_calls':[{'id':'a','type':'function',"
    "'function':{'name':'run_code','arguments':" ARGUMENTS ("python",
                                                            "1") "}}]},'finish_reason':'tool_calls'}],\n"
                                                                 "'usage':{'prompt_tokens':3,'completion_tokens':4}}\n",
    "Hey⟨python|1⟩#3/4#calls!done" },
  { "choices none at the start, none at the end, null, and another's",
    "data: {'choices':[],'prompt_filter_results':[]}\n\ndata: {'choices':null}\n\n" TEXT (
        "Hey") "data: {'choices':[{'index':1,'delta':{'content':'Other'}}]}\n\n" FINISH ("stop") "data: "
                                                                                                 "{'choices':[],'usage'"
                                                                                                 ":{'prompt_tokens':5,'"
                                                                                                 "completion_tokens':6}"
                                                                                                 "}\n\n" DONE,
    "Hey#5/6#end!done" },
  { "members nobody knows",
    "data: {'obfuscation':'x','choices':[{'index':0,'logprobs':null,'delta':{'content':'Hey',"
    "'audio':null,'annotations':[]}}],'service_tier':{}}\n\n" STOP,
    "Hey#end!done" },

  /* usage */
  { "usage with the reason",
    TEXT ("Hey") "data: {'choices':[{'index':0,'delta':{},'finish_reason':'stop'}],'usage':{'prompt_tokens':1,"
                 "'completion_tokens':2}}\n\n" DONE,
    "Hey#1/2#end!done" },
  { "usage many times: the last counts",
    "data: {'choices':[{'delta':{'content':'Hey'}}],'usage':{'prompt_tokens':1,'completion_tokens':1}}\n\n"
    "data: {'choices':[{'delta':{},'finish_reason':'stop'}],'usage':{'prompt_tokens':1,'completion_tokens':9}}\n\n"
    "data: {'choices':[],'usage':null}\n\n" DONE,
    "Hey#1/9#end!done" },
  { "usage in a choice",
    "data: {'choices':[{'delta':{'content':'Hey'},'finish_reason':'stop','usage':"
    "{'prompt_tokens':1,'completion_tokens':2}}]}\n\n" DONE,
    "Hey#1/2#end!done" },
  { "usage in an extra of its own",
    TEXT ("Hey")
        FINISH ("stop") "data: {'choices':[],'x_groq':{'usage':{'prompt_tokens':1,'completion_tokens':2}}}\n\n" DONE,
    "Hey#1/2#end!done" },

  /* thinking */
  { "reasoning_content",
    DELTA ("{'reasoning_content':'Hm','content':null}") DELTA ("{'reasoning_content':'m'}") TEXT ("Hey") STOP,
    "«Hmm»Hey#end!done" },
  { "reasoning", DELTA ("{'reasoning':'Hmm'}") TEXT ("Hey") STOP, "«Hmm»Hey#end!done" },
  { "both, saying the same", DELTA ("{'reasoning':'Hmm','reasoning_content':'Hmm'}") TEXT ("Hey") STOP,
    "«Hmm»Hey#end!done" },
  { "both, one of them null", DELTA ("{'reasoning':'Hmm','reasoning_content':null}") TEXT ("Hey") STOP,
    "«Hmm»Hey#end!done" },
  { "parts",
    DELTA ("{'content':[{'type':'thinking','thinking':[{'type':'text','text':'Hmm'}]}]}")
        DELTA ("{'content':[{'type':'text','text':'He'}]}") TEXT ("y") STOP,
    "«Hmm»Hey#end!done" },
  { "tags", TEXT ("<thi") TEXT ("nk>Hmm</th") TEXT ("ink>\\n\\nHey") STOP, "«Hmm»Hey#end!done" },
  { "a block of code in thinking", TEXT ("<think>\\n```python\\n1\\n```\\n</think>Hey") STOP,
    "«```python\n1\n```»Hey#end!done" },
  { "what goes back unchanged",
    DELTA ("{'reasoning_details':[{'type':'reasoning.text','text':'H','index':0}]}")
        DELTA ("{'reasoning_details':[{'type':'reasoning.text','text':'m','index':0}]}")
            DELTA ("{'reasoning_details':[{'type':'reasoning.text','signature':'s/=','index':0}]}") TEXT ("Hey") STOP,
    "Hey#opaque:{'reasoning_details':[{'type':'reasoning.text','text':'Hm','index':0,'signature':'s/='}]}#end!done" },

  /* calls */
  { "a call in pieces",
    CALLS ("{'index':0,'id':'a','type':'function','function':{'name':'run_code','arguments':''}}")
        CALLS ("{'index':0,'function':{'arguments':'{\\'language\\':\\'py'}}")
            CALLS ("{'index':0,'function':{'arguments':'thon\\',\\'code\\':\\'print(\\\\\\'ä\\\\\\')\\\\n'}}")
                CALLS ("{'index':0,'function':{'arguments':'2\\'}'}}") FINISH ("tool_calls") DONE,
    "⟨python|print('ä')\n2⟩#calls!done" },
  { "a whole call with the reason in one",
    "data: {'choices':[{'index':0,'delta':{'content':'Now:','tool_calls':[{'index':0,'id':'a','function':{'name':"
    "'run_code','arguments':" ARGUMENTS ("shell", "ls") "}}]},'finish_reason':'tool_calls'}]}\n\n" DONE,
    "Now:⟨shell|ls⟩#calls!done" },
  { "called, and the reason says stop",
    CALLS ("{'index':0,'id':'a','function':{'name':'run_code','arguments':" ARGUMENTS ("shell", "ls") "}}") STOP,
    "⟨shell|ls⟩#calls!done" },
  { "two calls, their pieces mixed",
    CALLS ("{'index':0,'id':'a','function':{'name':'run_code','arguments':'{\\'language\\':\\'python\\','}},"
           "{'index':1,'id':'b','function':{'name':'run_code','arguments':'{\\'language\\':\\'shell\\','}}")
        CALLS ("{'index':1,'function':{'arguments':'\\'code\\':\\'ls\\'}'}}")
            CALLS ("{'index':0,'function':{'arguments':'\\'code\\':\\'1\\'}'}}") FINISH ("tool_calls") DONE,
    "⟨python|1⟩⟨shell|ls⟩#calls!done" },
  { "two calls with one index",
    CALLS ("{'index':0,'id':'a','function':{'name':'run_code','arguments':" ARGUMENTS ("python", "1") "}}")
        CALLS ("{'index':0,'id':'b','function':{'name':'run_code','arguments':" ARGUMENTS ("shell", "ls") "}}")
            FINISH ("tool_calls") DONE,
    "⟨python|1⟩⟨shell|ls⟩#calls!done" },
  { "two calls without an index",
    CALLS ("{'id':'a','function':{'name':'run_code','arguments':" ARGUMENTS ("python", "1") "}}")
        CALLS ("{'id':'b','function':{'name':'run_code','arguments':" ARGUMENTS ("shell", "ls") "}}")
            FINISH ("tool_calls") DONE,
    "⟨python|1⟩⟨shell|ls⟩#calls!done" },
  { "an index that begins at one",
    CALLS ("{'index':1,'id':'a','function':{'name':'run_code','arguments':" ARGUMENTS ("python", "1") "}}")
        FINISH ("tool_calls") DONE,
    "⟨python|1⟩#calls!done" },
  { "name and id again and again, or empty",
    CALLS ("{'index':0,'id':'a','function':{'name':'run_code','arguments':'{\\'language\\':\\'python\\'}'}}")
        CALLS ("{'index':0,'id':'','type':'function','function':{'name':'run_code','arguments':''}}")
            CALLS ("{'index':0,'id':'a','function':{'name':'','arguments':''}}") FINISH ("tool_calls") DONE,
    "⟨python|?|fault⟩#calls!done" },
  { "arguments that are an object",
    CALLS ("{'index':0,'id':'a','function':{'name':'run_code','arguments':{'language':'python','code':'1'}}}")
        FINISH ("tool_calls") DONE,
    "⟨python|1⟩#calls!done" },
  { "no arguments at all", CALLS ("{'index':0,'id':'a','function':{'name':'look_up'}}") FINISH ("tool_calls") DONE,
    "⟨look_up ⟩#calls!done" },
  { "the function of old",
    DELTA ("{'function_call':{'name':'run_code','arguments':" ARGUMENTS ("python", "1") "}}") FINISH ("function_call")
        DONE,
    "⟨python|1⟩#calls!done" },
  { "a signature that goes back with its call",
    CALLS ("{'index':0,'id':'a','extra_content':{'google':{'thought_signature':'c2ln/+=='}},'function':{'name':"
           "'run_code','arguments':" ARGUMENTS ("python", "1") "}}") FINISH ("tool_calls") DONE,
    "⟨python|1⟩#opaque:{'extra':{'a':{'google':{'thought_signature':'c2ln/+=='}}}}#calls!done" },
  { "a call printed as text",
    TEXT ("{\\'name\\': \\'run_code\\', \\'arguments\\': {\\'language\\': \\'python\\', \\'code\\': \\'1\\'}}") STOP,
    "⟨python|1|recovered⟩#calls!done" },

  /* the limit */
  { "text cut by the limit", TEXT ("He") FINISH ("length") DONE, "He#length!done" },
  { "a call cut by the limit",
    CALLS ("{'index':0,'id':'a','function':{'name':'run_code','arguments':'{\\'language\\':\\'shell\\',\\'code\\':\\'"
           "rm -r x'}}") FINISH ("length") DONE,
    "⟨?|?|fault⟩#length!done" },
  { "a call cut by the limit, its arguments closed all the same",
    CALLS ("{'index':0,'id':'a','function':{'name':'run_code','arguments':" ARGUMENTS ("shell", "ls") "}}")
        CALLS ("{'index':1,'id':'b','function':{'name':'run_code','arguments':'{\\'language\\':\\'shell\\',\\'co'}}")
            FINISH ("length") DONE,
    "⟨shell|ls⟩⟨?|?|fault⟩#length!done" },
  { "a call of which the reason hides that it was cut",
    CALLS ("{'index':0,'id':'a','function':{'name':'run_code','arguments':'{\\'language\\':\\'shell\\',\\'code\\':\\'"
           "rm -r x'}}") FINISH ("tool_calls") DONE,
    "⟨?|?|fault⟩#calls!done" },
  { "declined", TEXT ("No") FINISH ("content_filter") DONE, "No#refused!done" },
  { "declined in a member of its own", DELTA ("{'refusal':'No'}") STOP, "No#refused!done" },

  /* faults */
  { "cut in the text", TEXT ("He") TEXT ("y"), "Hey!broken The connection ended before the answer did." },
  { "cut in an event", TEXT ("He") "data: {'choices':[{'del", "He!broken It sent something that is not JSON." },
  { "cut in a call",
    CALLS ("{'index':0,'id':'a','function':{'name':'run_code','arguments':'{\\'language\\':\\'shell\\',\\'code\\':\\'"
           "rm -r x'}}"),
    "!broken The connection ended before the answer did." },
  { "cut behind a whole call",
    CALLS ("{'index':0,'id':'a','function':{'name':'run_code','arguments':" ARGUMENTS ("shell", "ls") "}}"),
    "!broken The connection ended before the answer did." },
  { "nothing", "data: [DONE]\n\n", "!broken The answer was empty." },
  { "white space", "\n\n  \n", "!broken The answer was empty." },
  { "a page", "<html><head><title>Log in</title></head><body>Who <b>are</b> you?</body></html>",
    "!broken This is not the answer of a model but something else: Log in Who are you?" },
  { "garbage in the stream", TEXT ("He") "data: \xff\xfe}{\n\n", "He!broken It sent something that is not JSON." },
  { "an error in the stream",
    TEXT ("He") "data: {'error':{'message':'Out of memory','type':'server_error','code':500}}\n\n" DONE,
    "He!refused 500 Out of memory" },
  { "an error as text", TEXT ("He") "data: {'error':'Out of memory'}\n\n", "He!refused 0 Out of memory" },
  { "an error as an object", "data: {'object':'error','message':'Too long','type':'BadRequestError','code':400}\n\n",
    "!refused 400 Too long" },
  { "an error beside the choices",
    TEXT ("He") "data: {'choices':[{'index':0,'delta':{'content':''},'finish_reason':'error'}],'error':{'code':502,"
                "'message':'Provider disconnected'}}\n\n" DONE,
    "He!refused 502 Provider disconnected" },
  { "an error document", "{'error':{'message':'Over','code':529}}", "!refused 529 Over" },
  { "an error document in a list", "[{'error':{'code':429,'message':'Slow down','status':'RESOURCE_EXHAUSTED'}}]\n",
    "!refused 429 Slow down" },
  { "an error once all has been said",
    TEXT ("Hey") FINISH ("length") "data: {'error':{'message':'Token limit reached','code':400}}\n\n" DONE,
    "Hey#length!done" },
};

static const DecodeSetup chat
    = { &interp_codec_chat, "[Provider]\nId=x\nTitle=X\nCodec=chat\nBaseUrl=http://127.0.0.1:1\n", FALSE };

static void
test_chat (void)
{
  check_cases (&chat, chat_cases, G_N_ELEMENTS (chat_cases));
}

/* ---- text mode: the same for every codec ---- */

static const Case text_mode_cases[] = {
  { "one block", TEXT ("Look:\\n```python\\nprint(1)\\n```\\n") STOP, "Look:\n⟨python|print(1)⟩#calls!done" },
};

static void
test_text_mode (void)
{
  DecodeSetup setup = chat;

  setup.text_mode = TRUE;
  check_cases (&setup, text_mode_cases, G_N_ELEMENTS (text_mode_cases));
}

/* ---- Ollama ---- */

#define LINE(message) \
  "{'model':'m','created_at':'2026-01-01T00:00:00Z','message':{'role':'assistant'," message "},'done':false}\n"
#define OLLAMA_DONE(more) "{'model':'m','message':{'role':'assistant','content':''},'done':true" more "}\n"
#define OLLAMA_STOP OLLAMA_DONE (",'done_reason':'stop','prompt_eval_count':3,'eval_count':4")

static const Case ollama_cases[] = {
  { "plain", LINE ("'content':'He'") LINE ("'content':'y'") OLLAMA_STOP, "Hey#3/4#end!done" },
  { "no line end at the end", LINE ("'content':'Hey'") "{'message':{'content':''},'done':true,'done_reason':'stop'}",
    "Hey#-1/-1#end!done" },
  { "blank lines and CRLF", "\r\n" LINE ("'content':'Hey'") "\r\n\n" OLLAMA_STOP "\n", "Hey#3/4#end!done" },
  { "the end with words of its own", "{'message':{'content':'Hey'},'done':true,'done_reason':'stop'}\n",
    "Hey#-1/-1#end!done" },
  { "characters of two, three and four bytes", LINE ("'content':'äö 漢字 🦊🦊'") OLLAMA_STOP,
    "äö 漢字 🦊🦊#3/4#end!done" },
  { "thinking",
    LINE ("'content':'','thinking':'Hm'") LINE ("'content':'','thinking':'m'") LINE ("'content':'Hey'") OLLAMA_STOP,
    "«Hmm»Hey#3/4#end!done" },
  { "tags", LINE ("'content':'<think>Hmm</think>Hey'") OLLAMA_STOP, "«Hmm»Hey#3/4#end!done" },
  { "a call",
    LINE ("'content':'Now:'") LINE ("'content':'','tool_calls':[{'id':'a','function':{'index':0,'name':'run_code','"
                                    "arguments':{'language':'python','code':'print(\\'ä\\')\\n'}}}]") OLLAMA_STOP,
    "Now:⟨python|print('ä')\n⟩#3/4#calls!done" },
  { "two calls in one line",
    LINE ("'tool_calls':[{'function':{'name':'run_code','arguments':{'language':'python','code':'1'}}},"
          "{'function':{'name':'run_code','arguments':{'language':'shell','code':'ls'}}}]") OLLAMA_STOP,
    "⟨python|1⟩⟨shell|ls⟩#3/4#calls!done" },
  { "two calls in two lines, with one index",
    LINE ("'tool_calls':[{'function':{'index':0,'name':'run_code','arguments':{'language':'python','code':'1'}}}]")
        LINE ("'tool_calls':[{'function':{'index':0,'name':'run_code','arguments':{'language':'shell','code':'ls'}}}]")
            OLLAMA_STOP,
    "⟨python|1⟩⟨shell|ls⟩#3/4#calls!done" },
  { "a call without arguments", LINE ("'tool_calls':[{'function':{'name':'look_up'}}]") OLLAMA_STOP,
    "⟨look_up ⟩#3/4#calls!done" },
  { "text cut by the limit",
    LINE ("'content':'He'") OLLAMA_DONE (",'done_reason':'length','prompt_eval_count':3,'eval_count':4"),
    "He#3/4#length!done" },
  { "cut in the text", LINE ("'content':'He'"), "He!broken The connection ended before the answer did." },
  { "cut in a line", LINE ("'content':'He'") "{'message':{'content':'y",
    "He!broken It sent something that is not JSON." },
  { "cut behind a call",
    LINE ("'tool_calls':[{'function':{'name':'run_code','arguments':{'language':'shell','code':'ls'}}}]"),
    "!broken The connection ended before the answer did." },
  { "cut in a call",
    LINE ("'content':'He'") "{'message':{'tool_calls':[{'function':{'name':'run_code','arguments':{'language':'shell','"
                            "code':'rm -r x",
    "He!broken It sent something that is not JSON." },
  { "an error in the stream", LINE ("'content':'He'") "{'error':'an error was encountered while running the model'}\n",
    "He!refused 0 an error was encountered while running the model" },
  { "an error whose name says what", LINE ("'content':'He'") "{'error parsing tool call':'invalid character'}\n",
    "He!refused 0 error parsing tool call: invalid character" },
  { "an error printed over several lines", "{\n  'error': 'model requires more memory'\n}\n",
    "!refused 0 model requires more memory" },
  { "a page", "<html><body>\nWho are you?\n</body></html>\n",
    "!broken This is not the answer of a model: Who are you?" },
  { "garbage in the stream", LINE ("'content':'He'") "\xff\xfe}{\n", "He!broken It sent something that is not JSON." },
  { "nothing", "\n", "!broken The answer was empty." },
};

static void
test_ollama (void)
{
  DecodeSetup setup
      = { &interp_codec_ollama, "[Provider]\nId=o\nTitle=O\nCodec=ollama\nBaseUrl=http://127.0.0.1:1\n", FALSE };

  check_cases (&setup, ollama_cases, G_N_ELEMENTS (ollama_cases));
}

/* ---- Messages ---- */

#define EVENT(type, more) "event: " type "\ndata: {'type':'" type "'" more "}\n\n"
#define START EVENT ("message_start", ",'message':{'id':'msg_1','content':[],'usage':{'input_tokens':3}}")
#define BLOCK(index, block) EVENT ("content_block_start", ",'index':" index ",'content_block':" block)
#define PIECE(index, delta) EVENT ("content_block_delta", ",'index':" index ",'delta':" delta)
#define SAID(index, text) PIECE (index, "{'type':'text_delta','text':'" text "'}")
#define INPUT(index, json) PIECE (index, "{'type':'input_json_delta','partial_json':'" json "'}")
#define CLOSE(index) EVENT ("content_block_stop", ",'index':" index)
#define ENDS(reason)                                                                           \
  EVENT ("message_delta", ",'delta':{'stop_reason':'" reason "'},'usage':{'output_tokens':4}") \
  EVENT ("message_stop", "")
#define USE(index, id) BLOCK (index, "{'type':'tool_use','id':'" id "','name':'run_code','input':{}}")
#define EMPTY_TEXT "{'type':'text','text':''}"

static const Case messages_cases[] = {
  { "plain", START BLOCK ("0", EMPTY_TEXT) SAID ("0", "He") SAID ("0", "y 🦊") CLOSE ("0") ENDS ("end_turn"),
    "Hey 🦊#3/4#end!done" },
  { "types without event names, no spaces",
    "data:{'type':'content_block_start','index':0,'content_block':{'type':'text','text':'Hey'}}\n\n"
    "data:{'type':'message_delta','delta':{'stop_reason':'end_turn'}}\n\n",
    "Hey#end!done" },
  { "event names without types",
    "event: content_block_start\ndata: {'index':0,'content_block':{'type':'text','text':'Hey'}}\n\n" ENDS ("end_turn"),
    "Hey#-1/4#end!done" },
  { "pings, and what nobody knows",
    START EVENT ("ping", "") BLOCK ("0", EMPTY_TEXT) EVENT ("of_the_future", ",'x':1") SAID ("0", "He")
        PIECE ("0", "{'type':'citations_delta','citation':{}}") BLOCK ("1", "{'type':'fallback','from':{},'to':{}}")
            EVENT ("ping", "") SAID ("0", "y") ENDS ("end_turn"),
    "Hey#3/4#end!done" },
  { "the beginning twice",
    START BLOCK ("0", EMPTY_TEXT) SAID ("0", "He") START BLOCK ("0", EMPTY_TEXT) SAID ("0", "y") ENDS ("end_turn"),
    "Hey#3/4#end!done" },
  { "usage is cumulative, and parts of it stand apart",
    EVENT ("message_start", ",'message':{'usage':{'input_tokens':1,'output_tokens':1}}") BLOCK ("0", EMPTY_TEXT)
        SAID ("0", "Hey")
            EVENT ("message_delta", ",'delta':{'stop_reason':'end_turn'},'usage':{'input_tokens':2,"
                                    "'cache_read_input_tokens':30,'cache_creation_input_tokens':400,'output_tokens':5}")
                EVENT ("message_stop", ""),
    "Hey#432/5#end!done" },
  { "thinking without a signature is not kept",
    START BLOCK ("0", "{'type':'thinking','thinking':''}") PIECE ("0", "{'type':'thinking_delta','thinking':'Hmm'}")
        BLOCK ("1", EMPTY_TEXT) SAID ("1", "Hey") ENDS ("end_turn"),
    "«Hmm»Hey#3/4#end!done" },
  { "signed thinking is",
    START BLOCK ("0", "{'type':'thinking','thinking':'','signature':''}")
        PIECE ("0", "{'type':'thinking_delta','thinking':'Hmm'}")
            PIECE ("0", "{'type':'signature_delta','signature':'a+'}")
                PIECE ("0", "{'type':'signature_delta','signature':'/='}") CLOSE ("0") BLOCK ("1", EMPTY_TEXT)
                    SAID ("1", "Hey") ENDS ("end_turn"),
    "«Hmm»Hey#opaque:{'entries':[{'own':{'type':'thinking','thinking':'Hmm','signature':'a+/='}},{'text':'Hey'}]}"
    "#3/4#end!done" },
  { "a call in pieces",
    START USE ("0", "a") INPUT ("0", "") INPUT ("0", "{\\'language\\':\\'pyt") INPUT ("0", "hon\\',\\'code\\':\\'ä\\'}")
        CLOSE ("0") ENDS ("tool_use"),
    "⟨python|ä⟩#3/4#calls!done" },
  { "two calls, their blocks overlapping",
    START USE ("1", "a") INPUT ("1", "{\\'language\\':\\'python\\',") USE ("2", "b")
        INPUT ("2", "{\\'language\\':\\'shell\\',\\'code\\':\\'ls\\'}") INPUT ("1", "\\'code\\':\\'1\\'}") CLOSE ("1")
            CLOSE ("2") ENDS ("tool_use"),
    "⟨python|1⟩⟨shell|ls⟩#3/4#calls!done" },
  { "no input at all", START BLOCK ("0", "{'type':'tool_use','id':'a','name':'look_up'}") CLOSE ("0") ENDS ("tool_use"),
    "⟨look_up ⟩#3/4#calls!done" },
  { "a call cut by the limit",
    START USE ("0", "a") INPUT ("0", "{\\'language\\':\\'shell\\',\\'code\\':\\'rm -r x") ENDS ("max_tokens"),
    "⟨?|?|fault⟩#3/4#length!done" },
  { "declined", START ENDS ("refusal"), "#3/4#refused!done" },
  { "cut in the text", START BLOCK ("0", EMPTY_TEXT) SAID ("0", "He"),
    "He!broken The connection ended before the answer did." },
  { "cut behind a whole call",
    START USE ("0", "a") INPUT ("0", "{\\'language\\':\\'shell\\',\\'code\\':\\'ls\\'}") CLOSE ("0"),
    "!broken The connection ended before the answer did." },
  { "nothing but its beginning", START, "!broken The connection ended before the answer did." },
  { "overloaded in the middle",
    START BLOCK ("0", EMPTY_TEXT) SAID ("0", "He")
        EVENT ("error", ",'error':{'type':'overloaded_error','message':'Overloaded'},'request_id':'r'"),
    "He!refused 529 Overloaded" },
  { "overloaded from the start", EVENT ("error", ",'error':{'type':'overloaded_error','message':'Overloaded'}"),
    "!refused 529 Overloaded" },
  { "an error document", "{'type':'error','error':{'type':'billing_error','message':'No credit'}}",
    "!refused 402 No credit" },
};

static const DecodeSetup messages
    = { &interp_codec_messages, "[Provider]\nId=x\nTitle=X\nCodec=messages\nBaseUrl=http://127.0.0.1:1\n", FALSE };

static void
test_messages (void)
{
  check_cases (&messages, messages_cases, G_N_ELEMENTS (messages_cases));
}

/* ---- Responses ---- */

#define PART(type, more) EVENT ("response." type, "," more)
#define WORDS(text) PART ("output_text.delta", "'output_index':0,'item_id':'m','delta':'" text "'")
#define COMPLETED                                                                                   \
  "event: response.completed\ndata: {'type':'response.completed','response':{'status':'completed'," \
  "'usage':{'input_tokens':3,'output_tokens':4}}}\n\n"
#define CALLED(place, id)    \
  PART ("output_item.added", \
        place "'item':{'type':'function_call','id':'" id "','call_id':'call_" id "','name':'run_code'}")
#define GIVEN(place, json) PART ("function_call_arguments.delta", place "'delta':'" json "'")

static const Case responses_cases[] = {
  { "plain",
    PART ("created", "'response':{'status':'in_progress'}") PART ("of_the_future", "'x':1") WORDS ("He") WORDS ("y 🦊")
        PART ("output_text.done", "'output_index':0,'text':'Hey 🦊'") COMPLETED,
    "Hey 🦊#3/4#end!done" },
  { "thinking in paragraphs",
    PART ("reasoning_summary_part.added", "'output_index':0,'summary_index':0")
        PART ("reasoning_summary_text.delta", "'output_index':0,'delta':'One'")
            PART ("reasoning_summary_part.added", "'output_index':0,'summary_index':1")
                PART ("reasoning_summary_text.delta", "'output_index':0,'delta':'Two'")
                    PART ("output_text.delta", "'output_index':1,'delta':'Hey'") COMPLETED,
    "«One\n\nTwo»Hey#3/4#end!done" },
  { "ids that change with every event",
    CALLED ("'output_index':0,", "a") GIVEN ("'output_index':0,'item_id':'b',", "{\\'language\\':\\'python\\',")
        GIVEN ("'output_index':0,'item_id':'c',", "\\'code\\':\\'1\\'}") COMPLETED,
    "⟨python|1⟩#3/4#calls!done" },
  { "ids alone, the pieces of two calls mixed",
    CALLED ("", "a") CALLED ("", "b") GIVEN ("'item_id':'a',", "{\\'language\\':\\'python\\',")
        GIVEN ("'item_id':'b',", "{\\'language\\':\\'shell\\',\\'code\\':\\'ls\\'}")
            GIVEN ("'item_id':'a',", "\\'code\\':\\'1\\'}") COMPLETED,
    "⟨python|1⟩⟨shell|ls⟩#3/4#calls!done" },
  { "neither", CALLED ("", "a") GIVEN ("", "{\\'language\\':\\'python\\',") GIVEN ("", "\\'code\\':\\'1\\'}") COMPLETED,
    "⟨python|1⟩#3/4#calls!done" },
  { "an item that does not say what it is",
    CALLED ("", "a") PART ("output_item.added", "'x':1") GIVEN ("'item_id':'a',", "{\\'language\\':\\'python\\',")
        GIVEN ("'item_id':'a',", "\\'code\\':\\'1\\'}") COMPLETED,
    "⟨python|1⟩#3/4#calls!done" },
  { "the end of an item without the item",
    PART ("output_item.added", "'output_index':0,'item':{'type':'reasoning','id':'rs'}")
        PART ("output_item.done", "'output_index':0") WORDS ("Hey") COMPLETED,
    "Hey#3/4#end!done" },
  { "a call that is told only once it is whole",
    PART ("output_item.done",
          "'output_index':0,'item':{'type':'function_call','call_id':'a','name':'run_code','arguments':"
          "'{\\'language\\':\\'python\\',\\'code\\':\\'1\\'}'}") COMPLETED,
    "⟨python|1⟩#3/4#calls!done" },
  { "a document",
    "{'object':'response','status':'completed','output':[{'type':'message','content':[{'type':'output_text','text':"
    "'Hey'}]}],'usage':{'input_tokens':3,'output_tokens':4}}",
    "Hey#3/4#end!done" },
  { "declined", PART ("refusal.delta", "'output_index':0,'delta':'Sorry'") COMPLETED, "Sorry#3/4#refused!done" },
  { "a call cut by the limit",
    CALLED ("'output_index':0,", "a") GIVEN ("'output_index':0,", "{\\'language\\':\\'shell\\',\\'code\\':\\'rm")
        PART ("incomplete", "'response':{'status':'incomplete','incomplete_details':{'reason':'max_output_tokens'}}"),
    "⟨?|?|fault⟩#length!done" },
  { "declined by a filter",
    WORDS ("He")
        PART ("incomplete", "'response':{'status':'incomplete','incomplete_details':{'reason':'content_filter'}}"),
    "He#refused!done" },
  { "cut in the text", WORDS ("He"), "He!broken The connection ended before the answer did." },
  { "failed",
    WORDS ("He") PART ("failed", "'response':{'status':'failed','error':{'code':'server_error','message':'Broken'}}"),
    "He!refused 500 Broken" },
  { "an error that is flat", EVENT ("error", ",'code':'rate_limit_exceeded','message':'Slow down','param':null"),
    "!refused 429 Slow down" },
  { "an error in an error",
    EVENT ("error", ",'error':{'type':'insufficient_quota','code':'insufficient_quota','message':'No money'}"),
    "!refused 429 No money" },
};

static const DecodeSetup responses
    = { &interp_codec_responses, "[Provider]\nId=x\nTitle=X\nCodec=responses\nBaseUrl=http://127.0.0.1:1\n", FALSE };

static void
test_responses (void)
{
  check_cases (&responses, responses_cases, G_N_ELEMENTS (responses_cases));
}

/* ---- Gemini ---- */

#define CHUNK(parts, more) "data: {'candidates':[{'content':{'role':'model','parts':[" parts "]}" more "}]}\r\n\r\n"
#define TALK(text) CHUNK ("{'text':'" text "'}", "")
#define FINISHED(reason)                                                                         \
  "data: {'candidates':[{'content':{},'finishReason':'" reason "','index':0}],'usageMetadata':{" \
  "'promptTokenCount':3,'candidatesTokenCount':1,'thoughtsTokenCount':3}}\r\n\r\n"
#define FUNCTION(more) "{'functionCall':{'name':'run_code','args':{'language':'python','code':'1'}}" more "}"

static const Case gemini_cases[] = {
  { "plain", TALK ("He") TALK ("y 🦊") FINISHED ("STOP"), "Hey 🦊#3/4#end!done" },
  { "the reason with the last words", TALK ("He") CHUNK ("{'text':'y'}", ",'finishReason':'STOP'"), "Hey#end!done" },
  { "usage in parts",
    "data: {'usageMetadata':{'promptTokenCount':7,'candidatesTokenCount':1}}\n\n" TALK ("Hey")
        CHUNK ("", ",'finishReason':'STOP'") "data: {'usageMetadata':{'trafficType':'ON_DEMAND'}}\n\n",
    "Hey#7/1#end!done" },
  { "thinking", CHUNK ("{'text':'Hmm','thought':true},{'text':'Hey'}", "") FINISHED ("STOP"), "«Hmm»Hey#3/4#end!done" },
  { "signed parts are kept apart",
    CHUNK ("{'text':'Hmm','thought':true,'thoughtSignature':'a+/='}", "") TALK ("H") TALK ("e")
        CHUNK ("{'text':'y','thoughtSignature':'b+'}", "") CHUNK ("{'text':'','thoughtSignature':'c'}", "")
            FINISHED ("STOP"),
    "«Hmm»Hey#opaque:{'entries':[{'own':{'text':'Hmm','thought':true,'thoughtSignature':'a+/='}},{'text':'He'},"
    "{'text':'y','signature':'b+'},{'own':{'text':'','thoughtSignature':'c'}}]}#3/4#end!done" },
  { "a signature without a part", TALK ("Hey") CHUNK ("{'thoughtSignature':'c'}", "") FINISHED ("STOP"),
    "Hey#opaque:{'entries':[{'text':'Hey'},{'own':{'thoughtSignature':'c','text':''}}]}#3/4#end!done" },
  { "a call", CHUNK (FUNCTION (""), "") FINISHED ("STOP"), "⟨python|1⟩#3/4#calls!done" },
  { "two that are the same", CHUNK (FUNCTION ("") "," FUNCTION (""), "") FINISHED ("STOP"),
    "⟨python|1⟩⟨python|1⟩#3/4#calls!done" },
  { "no arguments at all", CHUNK ("{'functionCall':{'name':'look_up'}}", "") FINISHED ("STOP"),
    "⟨look_up ⟩#3/4#calls!done" },
  { "a call with an id, and signed",
    CHUNK ("{'functionCall':{'id':'x','name':'look_up','args':{}},'thoughtSignature':'s+/='}", "") FINISHED ("STOP"),
    "⟨look_up {}⟩#opaque:{'entries':[{'call':'x','id':'x','signature':'s+/='}]}#3/4#calls!done" },
  { "the end ahead of the text", CHUNK ("", ",'finishReason':'STOP'") TALK ("Hey") FINISHED ("STOP"),
    "Hey#3/4#end!done" },
  { "the end ahead of the text alone", CHUNK ("", ",'finishReason':'STOP'") TALK ("He") TALK ("y"), "Hey#end!done" },
  { "an array in place of events",
    "[{'candidates':[{'content':{'parts':[{'text':'He'}]}}]},\n{'candidates':[{'content':{'parts':[{'text':'y'}]},"
    "'finishReason':'STOP'}],'usageMetadata':{'promptTokenCount':3,'candidatesTokenCount':4}}]",
    "Hey#3/4#end!done" },
  { "a document", "{'candidates':[{'content':{'parts':[{'text':'Hey'}]},'finishReason':'STOP'}]}", "Hey#end!done" },
  { "the limit", TALK ("He") FINISHED ("MAX_TOKENS"), "He#3/4#length!done" },
  { "the limit, with nothing said", FINISHED ("MAX_TOKENS"), "#3/4#length!done" },
  { "declined", TALK ("He") FINISHED ("SAFETY"), "He#3/4#refused!done" },
  { "declined before it began",
    "data: {'promptFeedback':{'blockReason':'PROHIBITED_CONTENT','blockReasonMessage':'Not that.'}}\n\n",
    "Not that.#refused!done" },
  { "a call that is none",
    "data: {'candidates':[{'content':{},'finishReason':'MALFORMED_FUNCTION_CALL','finishMessage':'Malformed function "
    "call: print('}]}\n\n",
    "!broken Malformed function call: print(" },
  { "a call that is none, without a word", FINISHED ("UNEXPECTED_TOOL_CALL"), "!broken UNEXPECTED_TOOL_CALL" },
  { "nothing but its end", FINISHED ("STOP"), "!broken The connection ended before the answer did." },
  { "cut in the text", TALK ("He"), "He!broken The connection ended before the answer did." },
  { "cut behind a whole call", CHUNK (FUNCTION (""), ""), "!broken The connection ended before the answer did." },
  { "overloaded in the middle",
    TALK ("He") "data: {'error':{'code':503,'message':'Overloaded','status':'UNAVAILABLE'}}\n\n",
    "He!refused 503 Overloaded" },
  { "an error in an array, on many lines",
    "[{\n  'error': {\n    'code': 429,\n    'message': 'Slow down',\n    'status': 'RESOURCE_EXHAUSTED'\n  }\n}]",
    "!refused 429 Slow down" },
};

static const DecodeSetup gemini
    = { &interp_codec_gemini, "[Provider]\nId=x\nTitle=X\nCodec=gemini\nBaseUrl=http://127.0.0.1:1\n", FALSE };

static void
test_gemini (void)
{
  check_cases (&gemini, gemini_cases, G_N_ELEMENTS (gemini_cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/llm/codecs/chat", test_chat);
  g_test_add_func ("/llm/codecs/text-mode", test_text_mode);
  g_test_add_func ("/llm/codecs/ollama", test_ollama);
  g_test_add_func ("/llm/codecs/messages", test_messages);
  g_test_add_func ("/llm/codecs/responses", test_responses);
  g_test_add_func ("/llm/codecs/gemini", test_gemini);

  return g_test_run ();
}
