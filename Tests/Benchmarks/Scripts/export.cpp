// The job of `pledge export` as a loop over libcurl's multi interface that reads with simdjson: what a program without
// anything around it costs. ExportBenchmarks builds and runs it.
//
//     c++ -std=c++17 -O3 export.cpp -o export -lcurl -lsimdjson    # Debian: libcurl4-openssl-dev, libsimdjson-dev
//     ./export accounts.jsonl results.jsonl IN_FLIGHT FIRST LAST    # EXIST_BASE_URL is where Exist is
//
// The same requests one after another for each account, the same fields out, one line an account, written and synced.
#include <curl/curl.h>
#include <fcntl.h>
#include <simdjson.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using simdjson::dom::array;
using simdjson::dom::element;
using std::string;
using std::string_view;

static void append(string &out, string_view text) {
    static const char digits[] = "0123456789abcdef";
    out += '"';
    for (size_t start = 0, index = 0; index <= text.size(); index++) {
        unsigned char byte = index < text.size() ? text[index] : '"';
        if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7F) continue;
        out.append(text.data() + start, index - start);
        start = index + 1;
        if (index == text.size()) break;
        if (byte == '"' || byte == '\\') (out += '\\') += byte;
        else if (byte == '\n') out += "\\n";
        else ((out += "\\u00") += digits[byte >> 4]) += digits[byte & 15];
    }
    out += '"';
}

template <typename Number> static void append(string &out, Number number) {
    char text[32];
    out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

static void append(string &out, element value) {
    switch (value.type()) {
    case simdjson::dom::element_type::STRING: append(out, string_view(value)); break;
    case simdjson::dom::element_type::INT64: append(out, int64_t(value)); break;
    case simdjson::dom::element_type::UINT64: append(out, uint64_t(value)); break;
    case simdjson::dom::element_type::DOUBLE: append(out, double(value)); break;
    case simdjson::dom::element_type::BOOL: out += bool(value) ? "true" : "false"; break;
    case simdjson::dom::element_type::NULL_VALUE: out += "null"; break;
    case simdjson::dom::element_type::OBJECT: std::abort();
    case simdjson::dom::element_type::ARRAY:
        out += '[';
        for (element item : array(value)) {
            if (out.back() != '[') out += ',';
            append(out, item);
        }
        out += ']';
    }
}

static void key(string &out, string_view name) {
    if (out.back() != '{' && out.back() != '[') out += ',';
    ((out += '"') += name) += "\":";
}

struct Name {
    string_view theirs, ours;
    Name(const char *name) : theirs(name), ours(name) {}
    Name(const char *theirs, const char *ours) : theirs(theirs), ours(ours) {}
};

/// Members that are there, as they are.
static void fields(string &out, element object, std::initializer_list<Name> names) {
    for (const Name &name : names) {
        element value;
        if (object[name.theirs].get(value) || value.is_null()) continue;
        key(out, name.ours);
        append(out, value);
    }
}

template <typename Body> static void object(string &out, element parent, const char *name, Body body) {
    element value;
    if (parent[name].get(value) || value.is_null()) return;
    key(out, name);
    out += '{';
    body(value);
    out += '}';
}

struct Account {
    string service, name, token;
};

/// One account after another, over one handle.
struct Worker {
    CURL *easy = curl_easy_init();
    curl_slist *headers = nullptr;
    simdjson::dom::parser parser;
    Account account;
    string line, attributes, reply, day;
    int section = 0, page = 1;

    static size_t receive(char *bytes, size_t size, size_t count, void *worker) {
        static_cast<Worker *>(worker)->reply.append(bytes, size * count);
        return size * count;
    }

    Worker() {
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
    }

    void begin(Account next) {
        account = std::move(next);
        section = 0, page = 1;
        line = "{", attributes = "";
        key(line, "service"), append(line, string_view(account.service));
        key(line, "account"), append(line, string_view(account.name));
        curl_slist_free_all(headers);
        headers = curl_slist_append(nullptr, ("Authorization: Bearer " + account.token).c_str());
        headers = curl_slist_append(headers, "Accept: application/json");
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    }

    void ask(const string &base, const string &first, const string &last) {
        static const char *paths[] = {"accounts/profile/", "attributes/with-values/", "averages/", "correlations/",
                                      "insights/"};
        string url = base + "api/2/" + paths[section];
        if (section > 0) url += "?page=" + std::to_string(page) + "&limit=100";
        if (section == 1) url += "&days=7&date_max=" + last;
        if (section == 4) url += "&date_min=" + first + "&date_max=" + last;
        curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
        reply.clear();
    }

    /// Takes in a reply. Returns whether the account is done.
    bool take() {
        reply.reserve(reply.size() + simdjson::SIMDJSON_PADDING);
        element root = parser.parse(reply.data(), reply.size(), false);
        if (section == 0) {
            profile(root);
            section = 1;
            return false;
        }
        static const char *lists[] = {"", "values", "averages", "correlations", "insights"};
        if (page == 1) key(line, lists[section]), line += '[';
        for (element item : array(root["results"])) {
            switch (section) {
            case 1: attribute(item); break;
            case 2: average(item); break;
            case 3: correlation(item); break;
            default: insight(item);
            }
        }
        if (!root["next"].is_null()) return page++, false;
        line += ']';
        if (section == 1) line += ",\"attributes\":[" + attributes + ']';
        page = 1;
        if (section++ < 4) return false;
        line += "}\n";
        return true;
    }

    void item(string &out) {
        if (!out.empty() && out.back() != '[') out += ',';
        out += '{';
    }

    void profile(element user) {
        key(line, "profile"), line += '{';
        fields(line, user,
               {"username", "first_name", "last_name", "avatar", "timezone", "local_time", "imperial_distance",
                "imperial_weight", "imperial_energy", "imperial_liquid", "imperial_temperature", "trial", "delinquent"});
        // "+05:30" at the end, or "Z".
        string_view time = user["local_time"];
        int offset = 0;
        if (time.back() != 'Z') {
            string_view zone = time.substr(time.size() - 6);
            offset = ((zone[1] - '0') * 10 + zone[2] - '0') * 3600 + ((zone[4] - '0') * 10 + zone[5] - '0') * 60;
            if (zone[0] == '-') offset = -offset;
        }
        key(line, "utc_offset"), append(line, offset), line += '}';
    }

    void group(string &out, element parent) {
        object(out, parent, "group", [&](element group) { fields(out, group, {"name", "label", "priority"}); });
    }

    void attribute(element attribute) {
        string_view name = attribute["name"];
        for (element value : array(attribute["values"])) {
            if (value["value"].is_null()) continue;
            item(line);
            key(line, "attribute"), append(line, name);
            fields(line, value, {{"date", "day"}, "value"});
            line += '}';
        }
        item(attributes);
        fields(attributes, attribute, {"template", "name", "label"});
        group(attributes, attribute);
        object(attributes, attribute, "service", [&](element it) { fields(attributes, it, {"name", "label"}); });
        fields(attributes, attribute, {"active", "priority", "manual", "value_type", "value_type_description"});
        attributes += ",\"available_services\":[";
        array services;
        if (!attribute["available_services"].get(services)) {
            for (element it : services) item(attributes), fields(attributes, it, {"name", "label"}), attributes += '}';
        }
        attributes += "]}";
    }

    void average(element average) {
        item(line);
        fields(line, average,
               {{"user_attribute", "attribute"}, {"date", "day"}, "overall", "monday", "tuesday", "wednesday",
                "thursday", "friday", "saturday", "sunday"});
        line += '}';
    }

    void correlation(element correlation) {
        item(line);
        fields(line, correlation,
               {{"date", "day"}, "period", "offset", "attribute", "attribute2", "value", "p", "percentage", "stars",
                "second_person", "second_person_elements", "attribute_category", "strength_description",
                "stars_description", "description", "occurrence"});
        object(line, correlation, "rating", [&](element it) { fields(line, it, {"positive", "rating_type", "rating"}); });
        line += '}';
    }

    void insight(element insight) {
        item(line);
        fields(line, insight, {"created", {"target_date", "target_day"}});
        object(line, insight, "type", [&](element type) {
            fields(line, type, {"name", "period", "priority"});
            object(line, type, "attribute", [&](element attribute) {
                fields(line, attribute, {"name", "label"});
                group(line, attribute);
                fields(line, attribute, {"priority", "value_type", "value_type_description"});
            });
        });
        fields(line, insight, {"html", "text"});
        line += '}';
    }
};

int main(int, char **arguments) {
    std::ifstream input(arguments[1]);
    int output = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    string base = getenv("EXIST_BASE_URL"), first = arguments[4], last = arguments[5], text, done;
    simdjson::dom::parser parser;
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, atol(arguments[3]));
    auto next = [&](Worker &worker) {
        if (!std::getline(input, text)) return;
        element line = parser.parse(text);
        worker.begin({string(string_view(line["service"])), string(string_view(line["account"])),
                      string(string_view(line["token"]))});
        worker.ask(base, first, last);
        curl_multi_add_handle(multi, worker.easy);
    };
    std::vector<std::unique_ptr<Worker>> workers;
    for (int index = 0; index < atoi(arguments[3]); index++) next(*workers.emplace_back(std::make_unique<Worker>()));
    int running = 1, left;
    while (running) {
        curl_multi_perform(multi, &running);
        while (CURLMsg *message = curl_multi_info_read(multi, &left)) {
            Worker *worker;
            long status = 0;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &worker);
            curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
            if (message->data.result != CURLE_OK || status != 200) return 1;
            curl_multi_remove_handle(multi, worker->easy);
            running = 1;
            if (worker->take()) {
                done += worker->line;
                next(*worker);
            } else {
                worker->ask(base, first, last);
                curl_multi_add_handle(multi, worker->easy);
            }
        }
        if (!done.empty()) {
            for (size_t written = 0; written < done.size();) {
                ssize_t count = write(output, done.data() + written, done.size() - written);
                if (count < 0) return 1;
                written += count;
            }
            if (fsync(output)) return 1;
            done.clear();
            continue;
        }
        if (running) curl_multi_poll(multi, nullptr, 0, 1000, nullptr);
    }
    return 0;
}
